// Controls one running subagent: takes steering messages, and stops it alone.
import { createDeferred, Fault } from '../../base/index.ts';
import type { AgentSession } from '../../contracts/index.ts';
import type { SubagentHandle } from '../session/parent-link.ts';

/** Why a signal was aborted: the host stopped this subagent alone. */
class StopRequest {
  readonly reason: string | undefined;

  constructor(reason: string | undefined) {
    this.reason = reason;
  }
}

/** The text for the result; `undefined` unless the host stopped this subagent alone. */
export function describeStopRequest({ reason: request }: AbortSignal): string | undefined {
  if (!(request instanceof StopRequest)) return undefined;
  const reason = request.reason?.trim();
  return reason ? `Stopped by the host: ${reason}` : 'Stopped by the host';
}

export class RunningSubagent implements SubagentHandle {
  readonly #id: string;
  readonly #controller: AbortController;
  #session: AgentSession | undefined;
  readonly #attached = createDeferred();
  readonly #ended = createDeferred();
  /** Its first event was sent. */
  isStarted = false;

  /** The controller also aborts when the whole call is aborted. */
  constructor(id: string, controller: AbortController) {
    this.#id = id;
    this.#controller = controller;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Called when a run of its session is in progress. */
  attach(session: AgentSession): void {
    this.#session = session;
    this.#attached.resolve();
  }

  /** Called when the run has ended. */
  detach(): void {
    this.#session = undefined;
  }

  /** Called after its last event. */
  end(): void {
    this.detach();
    this.#attached.resolve();
    this.#ended.resolve();
  }

  /** A run that is in progress delivers the message, because it checks its queues in the same step in which it ends. */
  async steer(message: string): Promise<void> {
    await this.#attached.promise;
    const session = this.#session;
    if (!session || session.runs.isSettled || this.signal.aborted)
      throw new Fault('refused', `Subagent ${this.#id} takes no more messages: its run has ended.`);
    await session.runs.steer({ message });
  }

  async stop(reason?: string): Promise<void> {
    this.#controller.abort(new StopRequest(reason));
    await this.#ended.promise;
  }
}
