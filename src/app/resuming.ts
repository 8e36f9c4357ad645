// The hall: which conversation to go on with. Reads the user's words; the store does the work.
import { Fault } from '../base/index.ts';
import type { Ports, ResumedSession, SessionStore } from '../contracts/index.ts';
import { SESSION_VERSION } from '../protocol/index.ts';

export interface ResumeWishes {
  cwd: string;
  ports: Pick<Ports, 'clock' | 'ids'>;
  /** A path, or the beginning of an id. */
  session?: string | undefined;
  /** All of an id. */
  sessionId?: string | undefined;
  fork?: string | undefined;
  continueLatest?: boolean | undefined;
  chooseSession?: ((store: SessionStore) => Promise<string>) | undefined;
}

/** What a session begins with: a log to continue, or a file for a new one. Neither: a new one in the usual place. */
export interface SessionStart {
  readonly resumed?: ResumedSession | undefined;
  readonly file?: string | undefined;
}

export async function sessionStart(wishes: ResumeWishes, store: SessionStore): Promise<SessionStart> {
  // Hosts of pi name a file that is empty or absent to say where the new session goes.
  const { session, fork } = wishes;
  const file = session === undefined || fork !== undefined ? undefined : await store.emptyFile?.(session);
  return file ? { file: file.path } : { resumed: await resumedFor(wishes, store) };
}

/** `undefined`: begin a new one. */
async function resumedFor(wishes: ResumeWishes, store: SessionStore): Promise<ResumedSession | undefined> {
  if (wishes.session !== undefined && wishes.fork !== undefined) {
    throw new Fault('config', '--session and --fork exclude each other: go on with a session, or begin a copy of it.');
  }
  const known = wishes.sessionId === undefined ? undefined : await withId(wishes.sessionId, wishes, store);
  if (wishes.fork !== undefined) return forked(wishes, store, wishes.fork);
  if (known !== undefined) return store.resume(known);
  if (wishes.session !== undefined) return store.resume(await store.locate(wishes.session));
  if (wishes.chooseSession) return store.resume(await wishes.chooseSession(store));
  if (!wishes.continueLatest) return undefined;
  const latest = await store.latest();
  return latest === undefined ? undefined : store.resume(latest);
}

async function withId(sessionId: string, wishes: ResumeWishes, store: SessionStore): Promise<string | undefined> {
  const { checkSessionId, findById } = await import('./session-id.ts');
  checkSessionId({ ...wishes, sessionId });
  const path = await findById(store, sessionId);
  if (path === undefined || wishes.fork === undefined) return path;
  throw new Fault('config', `--session-id ${sessionId} is taken: ${path} has that id. Choose another for the copy.`);
}

/** The whole line of the other conversation, in a log of its own. The other one is only read. */
async function forked(
  { cwd, ports, sessionId }: ResumeWishes,
  store: SessionStore,
  wanted: string,
): Promise<ResumedSession> {
  const [{ lineTo }, { copyOf }] = await Promise.all([
    import('../core/tree/branching.ts'),
    import('../core/session/copy.ts'),
  ]);
  const source = await store.locate(wanted);
  const { entries, leafId, name } = await store.read(source);
  const timestamp = new Date(ports.clock.now()).toISOString();
  const path = copyOf(lineTo(entries, leafId), [], { id: ports.ids.entry, timestamp });
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
