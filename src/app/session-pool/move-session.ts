// Moves a session of the pool to another working directory. An open session is closed, moved and opened again.
import { Fault } from '../../base/index.ts';
import type {
  AgentSession,
  MovedSession,
  OpenSessionRequest,
  OpenSessionResult,
  SessionFeatures,
  SessionIndex,
} from '../../contracts/index.ts';
import type { MultiSessionHub } from '../../server/multi-session-hub.ts';
import { trackPending } from './track-pending.ts';

interface MoveContext {
  readonly hub: MultiSessionHub;
  readonly index: SessionIndex;
  /** Sessions that are being opened, by their ids. */
  readonly opening: ReadonlyMap<string, unknown>;
  /** Sessions that are being moved, by their ids. Requests to open them wait. */
  readonly moving: Map<string, Promise<unknown>>;
  readonly featuresOf: WeakMap<AgentSession, SessionFeatures>;
  /** How each open session was opened. */
  readonly requests: WeakMap<AgentSession, OpenSessionRequest>;
  open(request: OpenSessionRequest): Promise<OpenSessionResult>;
  /** Throws a Fault when the session cannot be moved. */
  checkMove(path: string): undefined | Promise<void>;
}

/** `cwd` is an absolute path of an existing directory. */
export async function moveInPool(context: MoveContext, reference: string, cwd: string): Promise<MovedSession> {
  const { opening, moving } = context;
  const { id, path } = await context.index.locate(reference);
  if (opening.has(id) || moving.has(id))
    throw new Fault('busy', `Session ${id} is being opened or moved. Try again in a moment.`);
  await context.checkMove(path);
  return trackPending(moving, id, moveLocated(context, id, path, cwd));
}

async function moveLocated(context: MoveContext, id: string, path: string, cwd: string): Promise<MovedSession> {
  const { hub, index } = context;
  const member = hub.find(id);
  if (!member) return { sessionId: id, path: await index.move(path, cwd), cwd, reopened: false };
  return { sessionId: id, path: await moveOpen(context, member.session, path, cwd), cwd, reopened: true };
}

async function moveOpen(context: MoveContext, session: AgentSession, path: string, cwd: string): Promise<string> {
  const { hub, index, featuresOf, requests } = context;
  if (!session.runs.isSettled || session.compaction.isRunning)
    throw new Fault('busy', 'The session cannot be moved during a run. Wait for its end, or stop it with abort.');
  const previousCwd = session.cwd;
  const features = featuresOf.get(session);
  const { mcpServers, systemPrompt, tools } = requests.get(session) ?? {};
  // The model is in the log.
  const request = { id: session.id, mustExist: true, persist: true, mcpServers, systemPrompt, tools, features };
  const reopen = async (directory: string) => {
    const opened = await context.open({ ...request, cwd: directory });
    requests.set(opened.session, { ...request, cwd: directory });
  };
  await hub.closeSession(session.id);
  let moved: string | undefined;
  try {
    moved = await index.move(path, cwd);
    await reopen(cwd);
    return moved;
  } catch (problem) {
    // For the host the session is still open: in the old directory.
    if (moved !== undefined) await index.move(moved, previousCwd).catch(() => {});
    await reopen(previousCwd).catch(() => hub.reportLost(session));
    throw problem;
  }
}
