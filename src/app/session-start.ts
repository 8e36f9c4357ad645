// Decides from flags whether a session is resumed, forked or created.
import { Fault } from '../base/index.ts';
import type { Ports, ResumedSession, SessionStore } from '../contracts/index.ts';
import { SESSION_VERSION } from '../protocol/index.ts';
import type { AgentOptions } from './agent-options.ts';

export interface SessionStartOptions
  extends Pick<
    AgentOptions,
    'cwd' | 'session' | 'sessionId' | 'fork' | 'forkBefore' | 'continueLatest' | 'chooseSession'
  > {
  ports: Pick<Ports, 'clock' | 'ids'>;
  /** Throws a Fault when the path policy forbids a session file that the user has named. */
  checkFile?(file: string): Promise<void>;
}

/** A session to resume, or a file for a new session. Neither: a new session in the default directory. */
export interface SessionStart {
  readonly resumed?: ResumedSession | undefined;
  readonly file?: string | undefined;
}

export async function resolveSessionStart(options: SessionStartOptions, store: SessionStore): Promise<SessionStart> {
  // Hosts of pi pass an empty or missing file as the location of a new session.
  const { session, fork } = options;
  const file = session === undefined || fork !== undefined ? undefined : await store.findEmptyFile?.(session);
  if (!file) return { resumed: await resumeRequestedSession(options, store) };
  return { file: await checkAllowed(options, file.path) };
}

/** `undefined`: create a new session. */
async function resumeRequestedSession(
  options: SessionStartOptions,
  store: SessionStore,
): Promise<ResumedSession | undefined> {
  if (options.session !== undefined && options.fork !== undefined) {
    throw new Fault('config', '--session and --fork exclude each other: resume a session, or start a copy of it.');
  }
  const existing =
    options.sessionId === undefined ? undefined : await resolveSessionId(options.sessionId, options, store);
  if (options.fork !== undefined) return forkSession(options, store, options.fork);
  if (existing !== undefined) return store.resume(existing);
  if (options.session !== undefined) return store.resume(await locateAllowed(options, store, options.session));
  if (options.chooseSession) return store.resume(await checkAllowed(options, await options.chooseSession(store)));
  if (!options.continueLatest) return undefined;
  const latest = await store.findLatest();
  return latest === undefined ? undefined : store.resume(latest);
}

async function resolveSessionId(
  sessionId: string,
  options: SessionStartOptions,
  store: SessionStore,
): Promise<string | undefined> {
  const { checkSessionId } = await import('./session-id.ts');
  checkSessionId({ ...options, sessionId });
  const path = await store.find(sessionId);
  if (path === undefined || options.fork === undefined) return path;
  throw new Fault('config', `--session-id ${sessionId} is taken: ${path} has that id. Choose another for the copy.`);
}

/** Copies the current branch of the source session, or the path to a prompt, into a new log. The source is only read. */
async function forkSession(
  options: SessionStartOptions,
  store: SessionStore,
  sourceName: string,
): Promise<ResumedSession> {
  const { cwd, ports, sessionId, forkBefore } = options;
  const [{ branchBefore, collectPathTo }, { copyPath }] = await Promise.all([
    import('../core/tree/branching.ts'),
    import('../core/session/copy-path.ts'),
  ]);
  const source = await locateAllowed(options, store, sourceName);
  const { entries, leafId, name } = await store.read(source);
  const timestamp = new Date(ports.clock.now()).toISOString();
  const copied = forkBefore === undefined ? collectPathTo(entries, leafId) : branchBefore(entries, forkBefore).path;
  const path = copyPath(copied, [], { nextId: ports.ids.entryId, timestamp });
  const header = {
    type: 'session' as const,
    version: SESSION_VERSION,
    id: sessionId ?? ports.ids.uuid(),
    timestamp,
    cwd,
    parentSession: source,
  };
  const log = store.create(header);
  if (path.length > 0) await log.append(path);
  return { header, log, path, leafId: path.at(-1)?.id ?? null, name, damage: [] };
}

async function locateAllowed(options: SessionStartOptions, store: SessionStore, name: string): Promise<string> {
  return checkAllowed(options, await store.locate(name));
}

async function checkAllowed({ checkFile }: SessionStartOptions, file: string): Promise<string> {
  await checkFile?.(file);
  return file;
}
