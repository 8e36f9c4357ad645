// Errors with which a call or a connection can fail.
import { Fault, type FaultCode } from '../base/index.ts';
import type { ExitInfo } from './client-transport.ts';

/** The agent refused the call, or the call failed. The message is the text from the agent. */
export class RpcError extends Fault {
  readonly command: string;
  /** The id of the call. */
  readonly id: string;

  constructor(command: string, id: string, message: string) {
    super('refused', message, { details: { command, id } });
    this.name = 'RpcError';
    this.command = command;
    this.id = id;
  }
}

/** The agent exited before the result arrived. */
export class AgentExitedError extends Fault {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The end of its stderr output. */
  readonly stderr: string;

  constructor(exitInfo: ExitInfo, goal: string) {
    super('aborted', formatExitMessage(exitInfo, goal), { details: exitInfo });
    this.name = 'AgentExitedError';
    this.exitCode = exitInfo.code ?? null;
    this.signal = exitInfo.signal ?? null;
    this.stderr = exitInfo.stderr ?? '';
  }
}

/** The connection broke before the result arrived. The server may have executed the command. */
export class ConnectionLostError extends Fault {
  readonly command: string;

  constructor(command: string, reason: string) {
    super('aborted', `The connection was lost (${reason}) before ${command} was answered. It may have been executed.`, {
      details: { command, reason },
    });
    this.name = 'ConnectionLostError';
    this.command = command;
  }
}

/** The connection to a server could not be opened. */
export class ConnectionError extends Fault {
  /** The HTTP status of the refusal. */
  readonly status: number | undefined;
  readonly closeCode: number | undefined;
  /** Another attempt would fail too, as after a refused token or an unknown session. */
  readonly isPermanent: boolean;

  constructor(
    message: string,
    {
      code = 'refused',
      status,
      closeCode,
      isPermanent = false,
      cause,
    }: {
      code?: FaultCode;
      status?: number | undefined;
      closeCode?: number | undefined;
      isPermanent?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(code, message, { details: { status, closeCode }, cause });
    this.name = 'ConnectionError';
    this.status = status;
    this.closeCode = closeCode;
    this.isPermanent = isPermanent;
  }
}

function formatExitMessage(exitInfo: ExitInfo, goal: string): string {
  const stderrTail = exitInfo.stderr?.trim();
  return `The agent ${describeExit(exitInfo)} before ${goal}.${stderrTail ? ` The end of its stderr:\n${stderrTail}` : ''}`;
}

function describeExit({ code, signal, reason }: ExitInfo): string {
  if (signal) return `was killed by ${signal}`;
  if (typeof code === 'number') return `exited with code ${code}`;
  return reason ? `disconnected (${reason})` : 'disconnected';
}
