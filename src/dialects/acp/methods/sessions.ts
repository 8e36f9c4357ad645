// session/new, load, resume, fork, list, close and delete.
import { isAbsolute, resolve } from 'node:path';
import { array, check, lazy, literal, nullable, object, optional, pipe, string, union } from 'valibot';
import { isRecord } from '../../../base/index.ts';
import type { AgentSession, McpServerDefinition } from '../../../contracts/index.ts';
import { createAuthRequiredFault } from '../errors.ts';
import { type AcpMethod, createReply, type MethodContext, type MethodReply, processMethod } from '../method.ts';
import { getConfigOptions, getModeState } from '../session-config.ts';
import { createSessionPage, type StoredSession } from '../session-page.ts';
import { encodeCommands, encodeHistory } from '../updates/index.ts';

const absolutePath = pipe(
  string(),
  check((path) => isAbsolute(path), 'must be an absolute path'),
);
const namedValue = object({ name: string(), value: string() });
const stdioServer = object({ name: string(), command: string(), args: array(string()), env: array(namedValue) });
const remoteServer = object({
  type: union([literal('http'), literal('sse')]),
  name: string(),
  url: string(),
  headers: array(namedValue),
});
/** A server without a type is a program. The error of the schema that was meant names the wrong field. */
const mcpServer = lazy((value) =>
  isRecord(value) && (value.type ?? 'stdio') !== 'stdio' ? remoteServer : stdioServer,
);
const projectParams = { cwd: absolutePath, mcpServers: optional(nullable(array(mcpServer))) };

interface StartedSession {
  readonly sessionId: string;
}

export const sessionMethods: Record<string, AcpMethod> = {
  'session/new': processMethod({
    command: 'start_session',
    params: projectParams,
    toParams: (params) => toStartParams(params),
    async toReply({ sessionId }: StartedSession, context) {
      const session = findSession(sessionId, context);
      if (session.models.current) return openedReply(session, context);
      await context.call.pool.delete(sessionId);
      throw createAuthRequiredFault('No model can be used. Sign in first.', context.connection.authMethods);
    },
  }),
  'session/load': processMethod({
    command: 'start_session',
    params: { ...projectParams, sessionId: string() },
    toParams: ({ sessionId, ...project }) => ({ ...toStartParams(project), id: sessionId, mustExist: true }),
    async toReply({ sessionId }: StartedSession, context) {
      const session = findSession(sessionId, context);
      const { entries, leafId } = await session.history.entries();
      const { result, ...reply } = await openedReply(session, context);
      const { capabilities } = context.connection;
      return {
        ...reply,
        result: omitSessionId(result),
        encodeHistory: (isSentLater) => encodeHistory(entries, leafId, { cwd: session.cwd, capabilities, isSentLater }),
      };
    },
  }),
  'session/resume': processMethod({
    command: 'start_session',
    params: { ...projectParams, sessionId: string() },
    toParams: ({ sessionId, ...project }) => ({ ...toStartParams(project), id: sessionId, mustExist: true }),
    async toReply({ sessionId }: StartedSession, context) {
      const { result, ...reply } = await openedReply(findSession(sessionId, context), context);
      return { ...reply, result: omitSessionId(result) };
    },
  }),
  'session/fork': processMethod({
    command: 'start_session',
    params: { ...projectParams, sessionId: string() },
    toParams: ({ sessionId, ...project }) => ({ ...toStartParams(project), forkOf: sessionId }),
    toReply: ({ sessionId }: StartedSession, context) => openedReply(findSession(sessionId, context), context),
  }),
  'session/list': processMethod({
    command: 'list_all_sessions',
    params: { cwd: optional(nullable(absolutePath)), cursor: optional(nullable(string())) },
    toReply: ({ sessions }: { sessions: readonly StoredSession[] }, _, { cwd, cursor }) =>
      createReply(
        createSessionPage(
          sessions.filter((session) => cwd === undefined || cwd === null || session.cwd === resolve(cwd)),
          cursor ?? undefined,
        ),
      ),
  }),
  'session/close': processMethod({ command: 'close_session', params: { sessionId: string() } }),
  'session/delete': processMethod({ command: 'delete_session', params: { sessionId: string() } }),
};

type RequestedServer = {
  readonly name: string;
} & (
  | {
      readonly type: 'http' | 'sse';
      readonly url: string;
      readonly headers: readonly { name: string; value: string }[];
    }
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: readonly { name: string; value: string }[];
    }
);

function toStartParams({
  cwd,
  mcpServers,
}: {
  cwd: string;
  mcpServers?: readonly RequestedServer[] | null | undefined;
}) {
  return { cwd, persist: true, mcpServers: (mcpServers ?? []).map(toServerDefinition) };
}

function toServerDefinition(requested: RequestedServer): McpServerDefinition {
  const { name } = requested;
  const source = 'the host';
  if ('command' in requested) {
    const { command, args, env } = requested;
    return { name, source, server: { type: 'stdio', command, args, env: toRecord(env) } };
  }
  const { type, url, headers } = requested;
  return { name, source, server: { type, url, headers: toRecord(headers) } };
}

function toRecord(values: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(values.map(({ name, value }) => [name, value]));
}

/** It has just been opened, so it is found. */
function findSession(id: string, { call }: MethodContext): AgentSession {
  return call.pool.find(id) as AgentSession;
}

/** The slash commands follow after the response: before it the client does not know the session. */
async function openedReply(session: AgentSession, { connection }: MethodContext): Promise<MethodReply> {
  const models = await connection.readModels(session);
  const commands = await session.listSlashCommands();
  return {
    sessionId: session.id,
    session,
    result: {
      sessionId: session.id,
      modes: getModeState(session),
      configOptions: getConfigOptions(session, models),
    },
    after: [encodeCommands(commands)],
  };
}

function omitSessionId(result: unknown): unknown {
  const { sessionId: _, ...rest } = result as { sessionId: string };
  return rest;
}
