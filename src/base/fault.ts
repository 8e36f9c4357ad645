// Fault, the only error type that crosses a layer, and helpers for thrown values.

/** Machine-readable reason of an expected failure. Dialects map it to their own error codes; the message is for users. */
export type FaultCode =
  | 'parse'
  | 'unknown_command'
  | 'invalid_id'
  | 'invalid_params'
  | 'busy'
  | 'not_found'
  | 'refused'
  | 'no_model'
  | 'no_credentials'
  | 'aborted'
  | 'timeout'
  | 'tool_failed'
  | 'storage'
  | 'not_run'
  | 'config'
  | 'internal';

/** An expected failure. The message names the offending value and, where there is one, the remedy. */
export class Fault extends Error {
  readonly code: FaultCode;
  /** Additional machine-readable data; never contains secrets. */
  readonly details: unknown;

  constructor(code: FaultCode, message: string, options: { details?: unknown; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.details = options.details;
  }
}

/** Converts any thrown value to a Fault. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  return new Fault('internal', getErrorMessage(thrown), { cause: thrown });
}

/** The `reason` in the details of a Fault. */
export function getFaultReason(thrown: unknown): unknown {
  const details = thrown instanceof Fault ? thrown.details : undefined;
  return (details as { reason?: unknown } | null | undefined)?.reason;
}

/** The message of an Error, or the string form of any other thrown value. */
export function getErrorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` that Node puts on system errors (`ENOENT`, `EPIPE`, …). */
export function getSystemErrorCode(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
