// What the user sees of the connection to a server: a line while it is lost, and a notice when it is lost and restored.
import { Fault } from '../base/index.ts';
import type { ConnectionState } from '../client/index.ts';
import type { Clock } from '../contracts/index.ts';

interface ConnectionStatusPorts {
  readonly clock: Clock;
  notify(message: string, level: 'info' | 'warning'): void;
}

export class ConnectionStatus {
  readonly #ports: ConnectionStatusPorts;
  #lost: { readonly attempt: number; readonly retryAt: number } | undefined;

  constructor(ports: ConnectionStatusPorts) {
    this.#ports = ports;
  }

  get isConnected(): boolean {
    return this.#lost === undefined;
  }

  /** Throws while the connection is lost. A call would be sent after it, when it is not expected any more. */
  requireConnection(): void {
    if (!this.isConnected) throw new Fault('refused', 'Not connected: nothing was sent.');
  }

  handleState(state: ConnectionState): void {
    const { clock, notify } = this.#ports;
    const wasConnected = this.isConnected;
    if (state.status === 'reconnecting') {
      const reason = state.reason.replace(/\.$/, '');
      if (wasConnected) notify(`The connection was lost: ${reason}. Connecting again…`, 'warning');
      this.#lost = { attempt: state.attempt, retryAt: clock.now() + state.delayMs };
    } else this.#lost = undefined;
    if (state.status === 'connected' && !wasConnected) notify('Connected again.', 'info');
  }

  renderLines(now: number): string[] {
    if (!this.#lost) return [];
    const { attempt, retryAt } = this.#lost;
    const seconds = Math.max(0, Math.ceil((retryAt - now) / 1000));
    const time = seconds > 0 ? ` in ${seconds} s` : ' now';
    return [`Not connected · trying again${time} (attempt ${attempt})`];
  }
}
