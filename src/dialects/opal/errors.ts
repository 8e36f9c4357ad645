// First floor, dialects: what went wrong, in JSON-RPC's numbers and Opal's words.
import { Fault } from '../../base/index.ts';
import { isRecord } from '../../base/json.ts';
import type { RpcError } from './envelope.ts';
import { snakeWords } from './spelling.ts';

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;

/** A refusal that already has its words. */
export class OpalFault extends Fault {
  readonly error: RpcError;

  constructor(error: RpcError) {
    super('refused', error.message);
    this.error = error;
  }
}

export function methodNotFound(method: string): OpalFault {
  return new OpalFault({ code: METHOD_NOT_FOUND, message: `Method not found: ${method}` });
}

export function invalidParams(message: string, data?: string): OpalFault {
  return new OpalFault({ code: INVALID_PARAMS, message, ...(data === undefined ? {} : { data }) });
}

export function missing(names: readonly string[]): OpalFault {
  return invalidParams(`Missing required param${names.length === 1 ? '' : 's'}: ${names.join(', ')}`);
}

/** How a method words what went wrong. */
export interface Wording {
  /** What it is called when it cannot be done; the reason then goes beside it. */
  readonly failure?: string;
  /** The names in a refusal are the host's own, not ours. */
  readonly verbatim?: true;
  /** What is said of a session that is not there. */
  readonly absent?: (id: string) => string;
}

export function errorOf(
  fault: Fault,
  { failure, verbatim, absent = (id) => `No session with id: ${id}` }: Wording = {},
): RpcError {
  if (fault instanceof OpalFault) return fault.error;
  const details = isRecord(fault.details) ? fault.details : {};
  if ('session' in details) {
    return { code: INVALID_PARAMS, message: 'Session not found', data: absent(String(details.session)) };
  }
  if ('data' in details) return { code: INVALID_PARAMS, message: fault.message, data: details.data };
  if (fault.code === 'invalid_params') {
    return { code: INVALID_PARAMS, message: verbatim ? fault.message : snakeWords(fault.message) };
  }
  if (failure !== undefined) return { code: INTERNAL, message: failure, data: fault.message };
  if (fault.code === 'internal') return { code: INTERNAL, message: 'Internal error', data: fault.message };
  return { code: INTERNAL, message: fault.message };
}
