// Commands that open, list, delete and branch sessions, for dialects with many sessions in one process.
import { array, boolean, literal, nullable, object, optional, string, unknown } from 'valibot';
import { command } from '../../contracts/index.ts';
import { authReport, buildAuthReport } from './auth.ts';
import { buildFeatureReport, featureReport, requestedFeatures } from './config.ts';
import { nonEmptyString } from './non-empty-string.ts';
import { decodeProviderName } from './provider-names.ts';
import { decodeThinkingLevel } from './thinking-levels.ts';

export const startSession = command({
  name: 'start_session',
  doc: 'Open a session in a directory: a new one, or the one with this id. With an id or `session: true` it is stored on disk. The model is looked up by its id; the provider is a hint. MCP servers and nodes are not supported: `mcp_servers` and `node_name` are empty.',
  lane: 'ordered',
  params: object({
    model: optional(object({ provider: optional(string()), id: nonEmptyString, thinkingLevel: optional(string()) })),
    systemPrompt: optional(string()),
    workingDir: optional(string()),
    session: optional(boolean()),
    sessionId: optional(nonEmptyString),
    features: optional(requestedFeatures),
    tools: optional(array(string())),
    mcpServers: optional(array(unknown())),
  }),
  result: object({
    sessionId: string(),
    sessionDir: string(),
    contextFiles: array(string()),
    availableSkills: array(string()),
    /** The features in effect. */
    features: featureReport,
    mcpServers: array(string()),
    nodeName: string(),
    auth: authReport,
    /** The session existed before. */
    resumed: boolean(),
  }),
  async run(params, { pool, markSlow }) {
    // Calls cannot address the session before its new id is returned, so no call has to wait for it.
    if (params.sessionId === undefined) markSlow();
    const { model, systemPrompt, workingDir: cwd, sessionId: id, tools } = params;
    const opened = await pool.open({
      id,
      cwd,
      persist: params.session === true || id !== undefined,
      model: model && {
        ...model,
        provider: decodeProviderName(model.provider ?? ''),
        thinkingLevel: decodeThinkingLevel(model.thinkingLevel),
      },
      systemPrompt,
      // Hosts without a choice of tools send an empty list.
      tools: tools?.length ? tools : undefined,
      features: params.features,
    });
    const { session, resumed, contextFiles, skills } = opened;
    return {
      sessionId: session.id,
      sessionDir: session.file?.replace(/\.jsonl$/, '') ?? '',
      contextFiles: [...contextFiles],
      availableSkills: [...skills],
      features: buildFeatureReport(pool.getFeatures(session)),
      mcpServers: [],
      nodeName: '',
      auth: buildAuthReport(await pool.auth.getStatus()),
      resumed,
    };
  },
});

export const listSessions = command({
  name: 'list_sessions',
  doc: 'All stored sessions, newest first.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({ sessions: array(object({ id: string(), title: nullable(string()), modified: string() })) }),
  async run(_, { pool }) {
    const sessions = (await pool.list()).map(({ id, name, opening, modifiedMs }) => ({
      id,
      title: name ?? (opening === '' ? null : opening),
      // UTC without a time zone, as Opal's hosts expect.
      modified: new Date(modifiedMs).toISOString().replace(/\.\d+Z$/, ''),
    }));
    return { sessions };
  },
});

export const deleteSession = command({
  name: 'delete_session',
  stability: 'experimental',
  doc: 'Delete a session with its artifacts. An open session is closed first.',
  lane: 'now',
  long: true,
  params: object({ sessionId: string() }),
  result: object({ ok: literal(true) }),
  async run({ sessionId }, { pool }) {
    await pool.delete(sessionId);
    return { ok: true as const };
  },
});

export const moveTo = command({
  name: 'move_to',
  doc: 'Continue from another entry of the same session. If the entry is a user message, continue before it.',
  lane: 'ordered',
  long: true,
  params: object({ entryId: string() }),
  async run({ entryId }, { session }) {
    await session.history.moveTo(entryId);
  },
});
