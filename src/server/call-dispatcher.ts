// Dispatches the calls of one host to lanes, runs their commands and sends the replies.
import { Fault, toFault } from '../base/index.ts';
import {
  type AgentSession,
  type CallContext,
  type CallToken,
  type Command,
  type DecodedLine,
  type Disposition,
  type HostConnection,
  type Log,
  type Reply,
  type SessionHub,
  validate,
} from '../contracts/index.ts';
import type { PromptOutcome } from '../protocol/index.ts';
import { type CallTarget, readCallTarget } from './call-target.ts';
import { LaneRegistry } from './lane-registry.ts';
import { type LaneWork, SessionLanes } from './lanes.ts';

/** What calls need of the hub. */
export type CallHub = Pick<
  SessionHub,
  'getSession' | 'ui' | 'pool' | 'userSettings' | 'auth' | 'listModels' | 'requestExit' | 'abort'
>;

/** What several clients of one session need in addition. */
export interface SharedCalls {
  /** The lanes of all clients. */
  readonly lanes: LaneRegistry;
  /** The session that a call without a session id addresses. */
  getLaneId(sessionId: string | undefined): string | undefined;
  /** Returns a Fault when the client may not make this call. */
  admit(command: Command, call: IncomingCall): Fault | undefined;
  /** Runs the work of a call. */
  run<T>(act: () => T): T;
  /** The work has started and can take long. */
  onAccepted(command: Command, sessionId: string | undefined): void;
  onEnded(command: Command, end: CallEnd): void;
  /** Stores what a successful call has changed. The reply waits for it. */
  saveChanges(command: Command, sessionId: string | undefined): Promise<void> | undefined;
  now(): number;
}

interface CallDispatcherOptions {
  commands: ReadonlyMap<string, Command>;
  hub: CallHub;
  /** Absent for a host that has its sessions for itself. */
  shared?: SharedCalls | undefined;
  /** Read by commands that need it. Reading it throws a Fault when there is no connection. */
  readonly host: HostConnection;
  log: Log;
  sendReply(token: CallToken, reply: Reply): undefined | Promise<void>;
  sendOutcome(token: CallToken, outcome: PromptOutcome): undefined | Promise<void>;
}

export type IncomingCall = Extract<DecodedLine, { kind: 'call' }>;

export interface CallEnd extends CallTarget {
  readonly sessionId: string | undefined;
  /** Absent when the call has succeeded. */
  readonly fault?: Fault | undefined;
  readonly isAccepted: boolean;
  readonly durationMs: number;
}

interface LaneCall extends IncomingCall {
  releaseLane(): void;
  replyTurn: Promise<void>;
  markSlow(): void;
}

export class CallDispatcher {
  readonly #options: CallDispatcherOptions;
  readonly #lanes: LaneRegistry;
  /** For calls without a session. */
  readonly #ownLanes = new SessionLanes();

  constructor(options: CallDispatcherOptions) {
    this.#options = options;
    this.#lanes = options.shared?.lanes ?? new LaneRegistry();
  }

  dispatch(incomingCall: IncomingCall): void {
    const { token } = incomingCall;
    const command = this.#options.commands.get(incomingCall.command);
    if (!command) {
      this.reject(token, new Fault('unknown_command', `Unknown command: ${token.name}`));
      return;
    }
    const { shared } = this.#options;
    const refusal = shared?.admit(command, incomingCall);
    if (refusal) {
      this.reject(token, refusal);
      return;
    }
    const run = shared?.run ?? callNow;
    const work: LaneWork = {
      lane: command.lane,
      long: incomingCall.long ?? command.long ?? false,
      execute: (releaseLane, replyTurn, markSlow) =>
        run(() => this.#runCommand(command, { ...incomingCall, releaseLane, replyTurn, markSlow })),
    };
    const laneId = shared ? shared.getLaneId(incomingCall.session) : incomingCall.session;
    this.#lanes.dispatch(laneId, work, this.#ownLanes);
  }

  /** Sent in order with the other replies: without an id, a host can only match the error by its position. */
  reject(token: CallToken, fault: Fault): void {
    const work = async (_: unknown, replyTurn: Promise<void>) => {
      await replyTurn;
      await this.#options.sendReply(token, { status: 'failed', fault, afterAccepted: false });
    };
    const laneId = this.#options.shared?.getLaneId(undefined);
    this.#lanes.dispatch(laneId, { lane: 'now', long: false, execute: work }, this.#ownLanes);
  }

  /** Resolves when all dispatched calls are done. */
  waitUntilIdle(): Promise<void> {
    return this.#lanes.waitUntilIdle();
  }

  /** Runs a command and sends its reply. All failures of commands become replies here. */
  async #runCommand(command: Command, call: LaneCall): Promise<void> {
    const { token, params, releaseLane, replyTurn } = call;
    const { log, sendReply, shared } = this.#options;
    let accepted: { disposition: Disposition | undefined } | undefined;
    const accept = (disposition?: Disposition) => {
      if (accepted) return;
      accepted = { disposition };
      shared?.onAccepted(command, call.session);
      void sendReply(token, { status: 'accepted', disposition });
      releaseLane();
    };
    const context = this.#createContext(command, call, accept);
    const startedMs = shared?.now() ?? 0;
    let usedParams: unknown;
    const reportEnd = (fault?: Fault, result?: unknown) =>
      shared?.onEnded(command, {
        ...{ sessionId: call.session, fault, isAccepted: accepted !== undefined },
        ...readCallTarget(usedParams, result),
        durationMs: shared.now() - startedMs,
      });
    try {
      usedParams = validate(command.params, call.toParams ? await call.toParams(context) : params);
      const commandResult = await command.run(usedParams as Parameters<typeof command.run>[0], context);
      await shared?.saveChanges(command, call.session);
      const result = call.toResult ? await call.toResult(commandResult, context) : commandResult;
      if (command.lane === 'run') accept();
      reportEnd(undefined, commandResult);
      await replyTurn;
      await sendReply(token, { status: 'settled', result, disposition: accepted?.disposition });
    } catch (thrown) {
      const fault = toFault(thrown);
      reportEnd(fault);
      if (fault.code === 'internal') log('command failed', { command: command.name, error: fault.message });
      await replyTurn;
      await sendReply(token, { status: 'failed', fault, afterAccepted: accepted !== undefined });
    }
  }

  #createContext(command: Command, call: LaneCall, accept: CallContext['accept']): CallContext {
    const options = this.#options;
    const { hub, sendReply, sendOutcome } = options;
    const { token, session, markSlow } = call;
    return {
      get session() {
        return hub.getSession(session);
      },
      get pool() {
        return requireMember(command, hub.pool);
      },
      get userSettings() {
        return requireMember(command, hub.userSettings);
      },
      get auth() {
        return requireMember(command, hub.auth);
      },
      async loadPorts() {
        return requireMember(command, (findSession(hub, session) ?? hub.pool)?.loadPorts)();
      },
      listModels: () => hub.listModels(),
      requestExit(mode) {
        // Not awaited: the reply is sent first.
        if (mode === 'abort') void hub.abort();
        hub.requestExit();
      },
      get ui() {
        return hub.ui;
      },
      id: token.id as string | number | undefined,
      get host() {
        return options.host;
      },
      accept,
      reportNotRun: (fault) => void sendReply(token, { status: 'failed', fault, afterAccepted: true }),
      reportOutcome: (outcome) => void sendOutcome(token, outcome),
      markSlow,
    };
  }
}

function callNow<T>(act: () => T): T {
  return act();
}

/** `undefined` for a call without a session, in a hub with many. */
function findSession(hub: CallHub, id: string | undefined): AgentSession | undefined {
  try {
    return hub.getSession(id);
  } catch (fault) {
    if (id !== undefined || !hub.pool || toFault(fault).code !== 'not_found') throw fault;
    return undefined;
  }
}

function requireMember<T>({ name }: Command, member: T | undefined): T {
  if (member !== undefined) return member;
  throw new Fault('refused', `${name} is not available for this connection`);
}
