// Runs one call of a client that has no connection, for example over HTTP. It is ordered with the calls of all other clients.
import { createDeferred, Fault, isRecord } from '../../base/index.ts';
import type { AgentSession, Command, Reply } from '../../contracts/index.ts';
import type { ClientAccess, PromptOutcome } from '../../protocol/index.ts';
import { CallDispatcher, type CallHub } from '../call-dispatcher.ts';
import { createSessionNotFoundFault } from '../session-hub.ts';
import { checkAccess } from './check-access.ts';
import { saveChoices } from './save-choices.ts';
import type { ClientObserver, ClientServices } from './serve-client.ts';
import type { SharedSessions } from './shared-sessions.ts';

export interface CallOnceOptions {
  readonly shared: SharedSessions;
  readonly services: ClientServices;
  readonly commands: ReadonlyMap<string, Command>;
  readonly name: string;
  readonly access: ClientAccess;
  readonly command: string;
  readonly params: unknown;
  /** Absent for commands that need no session. */
  readonly session?: AgentSession | undefined;
  /** Resolve when the work of an accepted call has ended, not when it is accepted. A queued prompt has ended with the run that takes it. */
  readonly shouldWait: boolean;
  readonly observer?: ClientObserver | undefined;
}

export interface CallOutcome {
  readonly reply: Reply;
  /** How the work of a prompt has ended, if the call has waited for it. */
  readonly outcome?: PromptOutcome | undefined;
}

/** Thrown when a command reads what only a connection has. */
function createNoConnectionFault(): Fault {
  return new Fault('refused', 'This command needs a connection: use a WebSocket, a socket or stdin.');
}

export async function callOnce(options: CallOnceOptions): Promise<CallOutcome> {
  const { shared, services, commands, name, access, session, shouldWait, observer } = options;
  const command = commands.get(options.command);
  // While the call waited, another call may have moved the session: then it is open again.
  const findCurrent = () => session && services.pool?.find(session.id);
  // Changes of a closed session would be lost, but it can still be read.
  const readable = command?.access === 'read' ? session : undefined;
  const { sendReply, sendOutcome, done } = collectReplies(command, shouldWait, (reply) =>
    explainClosed(reply, session, findCurrent()),
  );
  const dispatcher = new CallDispatcher({
    commands,
    hub: createHub(() => findCurrent() ?? readable, services, session?.id),
    get host(): never {
      throw createNoConnectionFault();
    },
    log: shared.ports.log,
    ...{ sendReply, sendOutcome },
    shared: {
      lanes: shared.lanes,
      getLaneId: () => session && shared.getLaneId(session),
      admit(command, call) {
        const fault = checkAccess(access, command, call);
        if (fault) observer?.onRefused(command, session?.id);
        return fault;
      },
      run: (act) => shared.origin.run(name, act),
      onAccepted: (command) => observer?.onCall(command, session?.id),
      onEnded(command, end) {
        const { fault, isAccepted, durationMs } = end;
        const current = findCurrent();
        if (current) shared.markUsed(current);
        if (current && command.access !== 'read') shared.reportStateChange(current, name);
        if (!isAccepted) observer?.onCall(command, session?.id, end);
        observer?.onCallEnded(command, durationMs, fault);
      },
      async saveChanges(command) {
        const current = findCurrent();
        await saveChoices(services.pool, command, current);
        const isChange = command.access !== 'read' && command.lane !== 'run' && !command.closesSession;
        if (session && !current && isChange) throw createClosedFault(session.id);
      },
      now: () => shared.ports.clock.now(),
    },
  });
  dispatcher.dispatch({
    kind: 'call',
    token: { name: options.command },
    command: options.command,
    params: options.params,
  });
  return done;
}

/** Decides which of the replies to a call is the one to return. */
function collectReplies(command: Command | undefined, shouldWait: boolean, explain: (reply: Reply) => Reply) {
  const done = createDeferred<CallOutcome>();
  const hasOutcome = command?.lane === 'run';
  let outcome: PromptOutcome | undefined;
  let queuedReply: Reply | undefined;
  return {
    done: done.promise,
    sendReply(_: unknown, reply: Reply): undefined {
      const isQueued = reply.status !== 'failed' && reply.disposition === 'queued';
      // Other queued messages become part of a run without a report.
      if (reply.status === 'accepted' && shouldWait && (hasOutcome || !isQueued)) return;
      if (reply.status === 'settled' && isQueued && hasOutcome && !outcome) queuedReply = reply;
      else done.resolve({ reply: explain(reply), ...(outcome ? { outcome } : {}) });
    },
    sendOutcome(_: unknown, promptOutcome: PromptOutcome): undefined {
      outcome = promptOutcome;
      if (queuedReply) done.resolve({ reply: queuedReply, outcome });
    },
  };
}

/** `sessionId` is the one that the call addresses. */
function createHub(
  findCurrent: () => AgentSession | undefined,
  services: ClientServices,
  sessionId: string | undefined,
): CallHub {
  return {
    getSession(id) {
      const found = id === undefined ? findCurrent() : services.pool?.find(id);
      if (found) return found;
      if (id === undefined && sessionId !== undefined) throw createClosedFault(sessionId);
      throw createSessionNotFoundFault(id);
    },
    get ui(): never {
      throw createNoConnectionFault();
    },
    ...{ pool: services.pool, userSettings: services.userSettings, auth: services.auth },
    listModels: services.listModels,
    requestExit() {
      throw createNoConnectionFault();
    },
    abort: async () => {},
  };
}

function createClosedFault(id: string): Fault {
  return new Fault('busy', `Session ${id} was closed or moved before the call could end. Send the call again.`);
}

/** A call fails for many reasons when its session is closed meanwhile. */
function explainClosed(reply: Reply, session: AgentSession | undefined, current: AgentSession | undefined): Reply {
  if (reply.status !== 'failed' || !session) return reply;
  const { code, details } = reply.fault;
  const isLogClosed = isRecord(details) && details.reason === 'closed';
  const isClosed = isLogClosed || (!current && (code === 'storage' || code === 'internal'));
  return isClosed ? { ...reply, fault: createClosedFault(session.id) } : reply;
}
