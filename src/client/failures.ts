// The hall, client: what a call can fail with. Knows the words of a failure, not how it travelled.
import { Fault } from '../base/index.ts';
import type { Farewell } from './transport.ts';

/** The agent refused a call, or failed at it. The message is the agent's own sentence. */
export class RpcError extends Fault {
  readonly command: string;
  /** The id under which the call was made. */
  readonly id: string;

  constructor(command: string, id: string, message: string) {
    super('refused', message, { details: { command, id } });
    this.name = 'RpcError';
    this.command = command;
    this.id = id;
  }
}

/** The agent is gone: what was waited for will not come. */
export class AgentGone extends Fault {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The end of what it wrote to stderr. */
  readonly stderr: string;

  constructor(farewell: Farewell, waitedFor: string) {
    super('aborted', sentence(farewell, waitedFor), { details: farewell });
    this.name = 'AgentGone';
    this.exitCode = farewell.code ?? null;
    this.signal = farewell.signal ?? null;
    this.stderr = farewell.stderr ?? '';
  }
}

function sentence(farewell: Farewell, waitedFor: string): string {
  const lastWords = farewell.stderr?.trim();
  return `The agent ${how(farewell)} before ${waitedFor}.${lastWords ? ` Its last words:\n${lastWords}` : ''}`;
}

function how({ code, signal, reason }: Farewell): string {
  if (signal) return `was killed by ${signal}`;
  if (typeof code === 'number') return `exited with code ${code}`;
  return reason ? `was lost (${reason})` : 'was lost';
}
