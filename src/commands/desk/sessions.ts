// First floor, commands: opening, listing and deleting sessions, for hosts that have many in one process.
import { array, boolean, literal, nullable, object, optional, string, unknown } from 'valibot';
import { command } from '../../contracts/index.ts';
import { authReport, reportOf } from './auth.ts';
import { features, featuresOf, wantedFeatures } from './config.ts';
import { filled } from './filled.ts';
import { wantedLevel } from './levels.ts';
import { meantProvider } from './provider-names.ts';

export const startSession = command({
  name: 'start_session',
  doc: 'Open a session in a directory: a new one, or the one with this id. With an id, or `session: true`, it is kept on disk. A model is found by its id; the provider is a hint. MCP servers are not started, and there are no nodes: `mcp_servers` and `node_name` are empty.',
  lane: 'ordered',
  params: object({
    model: optional(object({ provider: optional(string()), id: filled, thinkingLevel: optional(string()) })),
    systemPrompt: optional(string()),
    workingDir: optional(string()),
    session: optional(boolean()),
    sessionId: optional(filled),
    features: optional(wantedFeatures),
    tools: optional(array(string())),
    mcpServers: optional(array(unknown())),
  }),
  result: object({
    sessionId: string(),
    sessionDir: string(),
    contextFiles: array(string()),
    availableSkills: array(string()),
    /** What holds of what was wished for. */
    features,
    mcpServers: array(string()),
    nodeName: string(),
    auth: authReport,
    /** It was there before, and goes on. */
    resumed: boolean(),
  }),
  async run(params, { desk, slow }) {
    // Nobody can speak to a session whose name they do not know.
    if (params.sessionId === undefined) slow();
    const { model, systemPrompt, workingDir: cwd, sessionId: id, tools } = params;
    const opened = await desk.open({
      id,
      cwd,
      persist: params.session === true || id !== undefined,
      model: model && {
        ...model,
        provider: meantProvider(model.provider ?? ''),
        thinkingLevel: wantedLevel(model.thinkingLevel),
      },
      systemPrompt,
      // An empty list is what hosts send that choose nothing.
      tools: tools?.length ? tools : undefined,
      features: params.features,
    });
    const { session, resumed, contextFiles, skills } = opened;
    return {
      sessionId: session.id,
      sessionDir: session.file?.replace(/\.jsonl$/, '') ?? '',
      contextFiles: [...contextFiles],
      availableSkills: [...skills],
      features: featuresOf(desk.features(session)),
      mcpServers: [],
      nodeName: '',
      auth: reportOf(await desk.auth.status()),
      resumed,
    };
  },
});

export const listSessions = command({
  name: 'list_sessions',
  doc: 'Every session that is kept, newest first.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({ sessions: array(object({ id: string(), title: nullable(string()), modified: string() })) }),
  async run(_, { desk }) {
    const sessions = (await desk.sessions()).map(({ id, name, opening, modifiedMs }) => ({
      id,
      title: name ?? (opening === '' ? null : opening),
      // Without a zone, as hosts of this family expect; it is UTC.
      modified: new Date(modifiedMs).toISOString().replace(/\.\d+Z$/, ''),
    }));
    return { sessions };
  },
});

export const deleteSession = command({
  name: 'delete_session',
  stability: 'experimental',
  doc: 'Delete a session with its artifacts. One that is open ends first.',
  lane: 'now',
  long: true,
  params: object({ sessionId: string() }),
  result: object({ ok: literal(true) }),
  async run({ sessionId }, { desk }) {
    await desk.remove(sessionId);
    return { ok: true as const };
  },
});

export const moveTo = command({
  name: 'move_to',
  doc: 'Go on from another entry of the same session. Before a prompt when the entry is one.',
  lane: 'ordered',
  long: true,
  params: object({ entryId: string() }),
  async run({ entryId }, { session }) {
    await session.history.moveTo(entryId);
  },
});
