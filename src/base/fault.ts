// Ground floor: the one error that may cross a layer. Knows nothing about who throws or who reads it.

/** Why something expected went wrong. Dialects map codes to their own spelling; people read the message. */
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

/** An expected failure. The message is a sentence that names the offending value and, where there is one, the way out. */
export class Fault extends Error {
  readonly code: FaultCode;
  /** Extra machine-readable facts; never holds secrets. */
  readonly details: unknown;

  constructor(code: FaultCode, message: string, options: { details?: unknown; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.details = options.details;
  }
}

/** Turn whatever was thrown into a Fault, so that one catch can answer for everything. */
export function asFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  return new Fault('internal', messageOf(thrown), { cause: thrown });
}

/** The readable part of anything that can be thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` that Node puts on system errors (`ENOENT`, `EPIPE`, …). */
export function systemCode(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
