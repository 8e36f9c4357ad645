// session/*: opens, lists, branches, compacts and deletes sessions.
import {
  array,
  boolean,
  integer,
  literal,
  minValue,
  nullable,
  number,
  object,
  optional,
  pipe,
  string,
  unknown,
} from 'valibot';
import { isRecord } from '../../../base/index.ts';
import type { SessionFeatures } from '../../../contracts/index.ts';
import type { OpalEvent } from '../event-frames.ts';
import { nonEmptyString, type OpalMethod, processMethod, type SentReply, sessionMethod } from '../method.ts';
import { decodeProviderId } from '../provider-ids.ts';
import { decodeThinkingLevel } from '../thinking-levels.ts';
import { authReport, buildAuthReport } from './auth.ts';
import { buildFeatureReport, featureReport, requestedFeatures } from './config.ts';
import { buildHistory, historyMessage } from './history.ts';
import { decodeMcpServers } from './mcp-servers.ts';
import { checkStartParams } from './param-checks.ts';

interface StartedSession {
  sessionId: string;
  file?: string | undefined;
  contextFiles: string[];
  skills: string[];
  mcpServers: string[];
  features: SessionFeatures;
  resumed: boolean;
}

interface StoredSession {
  id: string;
  name?: string | undefined;
  firstPrompt: string;
  modifiedMs: number;
}

export const sessionMethods: Record<string, OpalMethod> = {
  'session/start': processMethod({
    command: 'start_session',
    doc: 'Open a session in a directory: a new one, or the one with this id. With an id or `session: true` it is stored on disk. The model is looked up by its id; the provider is a hint. `mcp_servers` are used in addition to those of the configuration: objects with `name` and `command`, `args`, `env`, `cwd`, or with `name`, `url`, `headers` and `type` (`http` or `sse`). Others are ignored; the result lists the names of those that are used. Nodes are not supported: `node_name` is empty.',
    params: {
      model: optional(object({ provider: optional(string()), id: nonEmptyString, thinking_level: optional(string()) })),
      system_prompt: optional(string()),
      working_dir: optional(string()),
      session: optional(boolean()),
      session_id: optional(nonEmptyString),
      features: optional(requestedFeatures),
      tools: optional(array(string())),
      mcp_servers: optional(array(unknown())),
    },
    result: object({
      session_id: string(),
      session_dir: string(),
      context_files: array(string()),
      available_skills: array(string()),
      /** The features in effect. */
      features: featureReport,
      mcp_servers: array(string()),
      node_name: string(),
      auth: authReport,
      /** The session existed before. */
      resumed: boolean(),
    }),
    checkParams: checkStartParams,
    failureMessage: 'Failed to start session',
    toParams: ({ model, system_prompt, working_dir, session, session_id, features, tools, mcp_servers }) => ({
      id: session_id,
      cwd: working_dir,
      persist: session === true || session_id !== undefined,
      model: model && {
        id: model.id,
        provider: decodeProviderId(model.provider ?? ''),
        thinkingLevel: model.thinking_level === undefined ? undefined : decodeThinkingLevel(model.thinking_level),
      },
      systemPrompt: system_prompt,
      // Hosts without a choice of tools send an empty list.
      tools: tools?.length ? tools : undefined,
      features: features && { subAgents: features.sub_agents, skills: features.skills, mcp: features.mcp },
      mcpServers: decodeMcpServers(mcp_servers ?? []),
    }),
    toResult: async (started: StartedSession, { call }) => ({
      session_id: started.sessionId,
      session_dir: started.file?.replace(/\.jsonl$/, '') ?? '',
      context_files: started.contextFiles,
      available_skills: started.skills,
      features: buildFeatureReport(started.features, started.mcpServers),
      mcp_servers: started.mcpServers,
      node_name: '',
      auth: buildAuthReport(await call.auth.getStatus()),
      resumed: started.resumed,
    }),
    createEventsAfter: createStartEvents,
  }),
  'session/list': processMethod({
    command: 'list_all_sessions',
    result: object({ sessions: array(object({ id: string(), title: nullable(string()), modified: string() })) }),
    toResult: ({ sessions }: { sessions: readonly StoredSession[] }) => ({
      sessions: sessions.map(({ id, name, firstPrompt, modifiedMs }) => ({
        id,
        title: name ?? (firstPrompt === '' ? null : firstPrompt),
        // UTC without a time zone, as Opal's hosts expect.
        modified: new Date(modifiedMs).toISOString().replace(/\.\d+Z$/, ''),
      })),
    }),
  }),
  'session/history': sessionMethod({
    command: 'get_entries',
    doc: 'The messages of the current branch, oldest first. Use the id of a message to branch there.',
    stability: 'experimental',
    result: object({ messages: array(historyMessage) }),
    toParams: () => ({}),
    toResult: buildHistory,
  }),
  'session/branch': sessionMethod({
    command: 'move_to',
    params: { entry_id: string() },
    failureMessage: 'Branch failed',
    describeMissingSession: (id) => `No session process for id: ${id}`,
  }),
  'session/compact': sessionMethod({
    command: 'compact',
    doc: 'Replace the older part of the conversation with a summary. `keep_recent` is the number of recent messages that are not summarised; without it the token limit of the settings applies.',
    params: {
      keep_recent: optional(pipe(number(), integer('must be a whole number'), minValue(1, 'must be 1 or more'))),
    },
    failureMessage: 'Compaction failed',
    toParams: ({ keep_recent: keepMessages }) => ({ keepMessages }),
    toResult: () => ({}),
  }),
  'session/delete': processMethod({
    command: 'delete_session',
    params: { session_id: string() },
    result: object({ ok: literal(true) }),
    failureMessage: 'Delete failed',
    describeMissingSession: (id) => id,
    toResult: () => ({ ok: true }),
  }),
};

/** Events sent after session/start, when the host knows the session id. */
function createStartEvents({ result }: SentReply): readonly OpalEvent[] {
  if (!isRecord(result)) return [];
  const { context_files: files } = result;
  const isFound = Array.isArray(files) && files.length > 0;
  const found: readonly OpalEvent[] = isFound ? [{ type: 'context_discovered', files }] : [];
  return result.resumed ? [{ type: 'agent_recovered' }, ...found] : found;
}
