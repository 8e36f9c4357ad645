// Commands by which a client of a server changes its session. Only this client moves; the others stay. Loaded by the server only.
import { boolean, number, object, optional, string } from 'valibot';
import { Fault } from '../../base/index.ts';
import { type AgentSession, type CallContext, type Command, command } from '../../contracts/index.ts';

const openedResult = { cancelled: boolean(), sessionId: string() };

const newSession = command({
  name: 'new_session',
  doc: 'Open a new session in the directory of the current one, with its tools and modes, and move this client to it. The old session continues.',
  lane: 'ordered',
  long: true,
  params: object({ parentSession: optional(string()) }),
  result: object(openedResult),
  async run(_, call) {
    const { session } = await call.pool.open({ cwd: call.session.cwd, choicesOf: call.session.id, persist: true });
    return enter(session, call);
  },
});

const switchSession = command({
  name: 'switch_session',
  doc: 'Move this client to another session, given by its path or a prefix of its id.',
  lane: 'ordered',
  long: true,
  params: object({ sessionPath: string(), after: optional(number()) }),
  result: object(openedResult),
  async run({ sessionPath, after }, call) {
    const { id } = await call.pool.locate(sessionPath);
    const { session } = await call.pool.open({ id, mustExist: true, persist: true });
    return enter(session, call, after);
  },
});

const openSession = command({
  name: 'open_session',
  doc: 'Not available on a server.',
  lane: 'ordered',
  params: object({ sessionDir: string() }),
  async run() {
    throw new Fault(
      'refused',
      'A server keeps its sessions in its own directory. Use new_session, or switch_session with the id of a session.',
    );
  },
});

const clone = command({
  name: 'clone',
  doc: 'Copy the current conversation to a new session, and move this client to it.',
  lane: 'ordered',
  long: true,
  params: object({}),
  result: object(openedResult),
  async run(_, call) {
    return enter(await copySession(call), call);
  },
});

const branch = command({
  name: 'branch',
  doc: 'Copy the conversation before one of the user messages to a new session, and move this client to it.',
  lane: 'ordered',
  long: true,
  params: object({ entryId: string() }),
  result: object({ text: string(), ...openedResult }),
  async run({ entryId }, call) {
    const { cwd, history, id } = call.session;
    const point = (await history.branchPoints()).find((one) => one.entryId === entryId);
    if (!point) throw new Fault('not_found', 'Invalid entry ID for branching');
    const { session } = await call.pool.open({ forkOf: id, forkBefore: entryId, cwd, persist: true });
    return { text: point.text, ...(await enter(session, call)) };
  },
});

/** A session that has no message yet may not be stored, and there is nothing to copy. */
async function copySession({ session, pool }: CallContext): Promise<AgentSession> {
  const { cwd, id } = session;
  const source = session.state().messageCount === 0 ? { choicesOf: id } : { forkOf: id };
  return (await pool.open({ ...source, cwd, persist: true })).session;
}

/** A call over HTTP has no client that could move: then the result names the session. */
async function enter(
  session: AgentSession,
  { pool }: CallContext,
  after?: number,
): Promise<{ cancelled: boolean; sessionId: string }> {
  await pool.attach?.(session, after?.toString());
  return { cancelled: false, sessionId: session.id };
}

const sharedSessionCommands = [newSession, switchSession, openSession, clone, branch] as readonly unknown[];

/** These replace the commands of the same names, which would move all clients of the session. */
export function replaceSessionCommands(commands: ReadonlyMap<string, Command>): ReadonlyMap<string, Command> {
  const replaced = (sharedSessionCommands as readonly Command[]).map((one) => [one.name, one] as const);
  return new Map([...commands, ...replaced]);
}
