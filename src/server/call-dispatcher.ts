// Dispatches the calls of one host to lanes, runs their commands and sends the replies.
import { Fault, toFault } from '../base/index.ts';
import {
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
import { LaneRegistry } from './lane-registry.ts';

interface CallDispatcherOptions {
  commands: ReadonlyMap<string, Command>;
  hub: SessionHub;
  host: HostConnection;
  log: Log;
  sendReply(token: CallToken, reply: Reply): undefined | Promise<void>;
  sendOutcome(token: CallToken, outcome: PromptOutcome): undefined | Promise<void>;
}

type IncomingCall = Extract<DecodedLine, { kind: 'call' }>;

interface LaneCall extends IncomingCall {
  releaseLane(): void;
  replyTurn: Promise<void>;
  markSlow(): void;
}

export class CallDispatcher {
  readonly #options: CallDispatcherOptions;
  readonly #lanes = new LaneRegistry();

  constructor(options: CallDispatcherOptions) {
    this.#options = options;
  }

  dispatch(incomingCall: IncomingCall): void {
    const { token } = incomingCall;
    const command = this.#options.commands.get(incomingCall.command);
    if (!command) {
      this.reject(token, new Fault('unknown_command', `Unknown command: ${token.name}`));
      return;
    }
    this.#lanes.dispatch(incomingCall.session, {
      lane: command.lane,
      long: incomingCall.long ?? command.long ?? false,
      execute: (releaseLane, replyTurn, markSlow) =>
        this.#runCommand(command, { ...incomingCall, releaseLane, replyTurn, markSlow }),
    });
  }

  /** Sent in order with the other replies: without an id, a host can only match the error by its position. */
  reject(token: CallToken, fault: Fault): void {
    const work = async (_: unknown, replyTurn: Promise<void>) => {
      await replyTurn;
      await this.#options.sendReply(token, { status: 'failed', fault, afterAccepted: false });
    };
    this.#lanes.dispatch(undefined, { lane: 'now', long: false, execute: work });
  }

  /** Resolves when all dispatched calls are done. */
  waitUntilIdle(): Promise<void> {
    return this.#lanes.waitUntilIdle();
  }

  /** Runs a command and sends its reply. All failures of commands become replies here. */
  async #runCommand(command: Command, call: LaneCall): Promise<void> {
    const { token, params, releaseLane, replyTurn } = call;
    const { log, sendReply } = this.#options;
    let accepted: { disposition: Disposition | undefined } | undefined;
    const accept = (disposition?: Disposition) => {
      if (accepted) return;
      accepted = { disposition };
      void sendReply(token, { status: 'accepted', disposition });
      releaseLane();
    };
    const context = this.#createContext(command, call, accept);
    try {
      const commandParams = call.toParams ? await call.toParams(context) : params;
      const commandResult = await command.run(validate(command.params, commandParams), context);
      const result = call.toResult ? await call.toResult(commandResult, context) : commandResult;
      if (command.lane === 'run') accept();
      await replyTurn;
      await sendReply(token, { status: 'settled', result, disposition: accepted?.disposition });
    } catch (thrown) {
      const fault = toFault(thrown);
      if (fault.code === 'internal') log('command failed', { command: command.name, error: fault.message });
      await replyTurn;
      await sendReply(token, { status: 'failed', fault, afterAccepted: accepted !== undefined });
    }
  }

  #createContext(command: Command, call: LaneCall, accept: CallContext['accept']): CallContext {
    const { hub, host, sendReply, sendOutcome } = this.#options;
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
      listModels: () => hub.listModels(),
      requestExit(mode) {
        // Not awaited: the reply is sent first.
        if (mode === 'abort') void hub.abort();
        hub.requestExit();
      },
      ui: hub.ui,
      id: token.id as string | number | undefined,
      host,
      accept,
      reportNotRun: (fault) => void sendReply(token, { status: 'failed', fault, afterAccepted: true }),
      reportOutcome: (outcome) => void sendOutcome(token, outcome),
      markSlow,
    };
  }
}

function requireMember<T>({ name }: Command, member: T | undefined): T {
  if (member !== undefined) return member;
  throw new Fault('refused', `${name} is not available in this dialect`);
}
