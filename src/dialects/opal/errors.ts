// Converts faults to JSON-RPC errors with the codes and messages of Opal.
import { Fault } from '../../base/index.ts';
import { isRecord } from '../../base/json.ts';
import { fieldNamesToSnakeCase } from './casing.ts';
import type { JsonRpcError } from './json-rpc.ts';

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/** A fault that is sent as this JSON-RPC error, unchanged. */
export class OpalFault extends Fault {
  readonly error: JsonRpcError;

  constructor(error: JsonRpcError) {
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

export function missingParams(names: readonly string[]): OpalFault {
  return invalidParams(`Missing required param${names.length === 1 ? '' : 's'}: ${names.join(', ')}`);
}

/** Error texts of one method. */
export interface ErrorTexts {
  /** The error message when the command fails. The reason is sent as `data`. */
  readonly failureMessage?: string;
  /** The names in the message are keys of the host, so they are not converted to snake_case. */
  readonly keepsFieldNames?: true;
  /** The `data` of a "Session not found" error. */
  readonly describeMissingSession?: (id: string) => string;
}

export function toJsonRpcError(
  fault: Fault,
  { failureMessage, keepsFieldNames, describeMissingSession = (id) => `No session with id: ${id}` }: ErrorTexts = {},
): JsonRpcError {
  if (fault instanceof OpalFault) return fault.error;
  const details = isRecord(fault.details) ? fault.details : {};
  if ('session' in details) {
    return {
      code: INVALID_PARAMS,
      message: 'Session not found',
      data: describeMissingSession(String(details.session)),
    };
  }
  if ('data' in details) return { code: INVALID_PARAMS, message: fault.message, data: details.data };
  if (fault.code === 'invalid_params') {
    return { code: INVALID_PARAMS, message: keepsFieldNames ? fault.message : fieldNamesToSnakeCase(fault.message) };
  }
  if (failureMessage !== undefined) return { code: INTERNAL_ERROR, message: failureMessage, data: fault.message };
  if (fault.code === 'internal') return { code: INTERNAL_ERROR, message: 'Internal error', data: fault.message };
  return { code: INTERNAL_ERROR, message: fault.message };
}
