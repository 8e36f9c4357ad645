// Which session a call has opened, closed, copied or deleted, beside the one that it addresses.
import { isRecord } from '../base/index.ts';

export interface CallTarget {
  /** The session that the call names or has opened. */
  readonly target?: string | undefined;
  /** The session of which it is a copy. */
  readonly copyOf?: string | undefined;
}

/** Ids are shorter. A client can send any text instead of one. */
const MAX_LENGTH = 100;

/** `result`: absent when the call has failed. */
export function readCallTarget(params: unknown, result?: unknown): CallTarget {
  return {
    target: readText(params, 'sessionId') ?? readText(result, 'sessionId'),
    copyOf: readText(params, 'forkOf'),
  };
}

function readText(holder: unknown, name: string): string | undefined {
  const value = isRecord(holder) ? holder[name] : undefined;
  return typeof value === 'string' ? value.slice(0, MAX_LENGTH) : undefined;
}
