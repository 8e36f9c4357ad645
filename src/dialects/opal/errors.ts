// Converts faults to JSON-RPC errors with the codes and messages of Opal.
import { Fault } from '../../base/index.ts';
import { isRecord } from '../../base/json.ts';
import type { JsonRpcError } from '../json-rpc.ts';

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

export function createMethodNotFoundFault(method: string): OpalFault {
  return new OpalFault({ code: METHOD_NOT_FOUND, message: `Method not found: ${method}` });
}

export function createInvalidParamsFault(message: string, data?: string): OpalFault {
  return new OpalFault({ code: INVALID_PARAMS, message, ...(data === undefined ? {} : { data }) });
}

export function createMissingParamsFault(names: readonly string[]): OpalFault {
  return createInvalidParamsFault(`Missing required param${names.length === 1 ? '' : 's'}: ${names.join(', ')}`);
}

/** Error texts of one method. */
export interface ErrorTexts {
  /** The error message when the command fails. The reason is sent as `data`. */
  readonly failureMessage?: string;
  /** Replaces names of commands and settings by those of Opal. */
  readonly rewriteMessage?: (message: string) => string;
  /** The `data` of a "Session not found" error. */
  readonly describeMissingSession?: (id: string) => string;
}

export function toJsonRpcError(fault: Fault, texts: ErrorTexts = {}): JsonRpcError {
  if (fault instanceof OpalFault) return fault.error;
  const { failureMessage, rewriteMessage = (message: string) => message } = texts;
  const { describeMissingSession = (id: string) => `No session with id: ${id}` } = texts;
  const { session, unknownTools, refusedTool }: FaultDetails = isRecord(fault.details) ? fault.details : {};
  if (session !== undefined) {
    return { code: INVALID_PARAMS, message: 'Session not found', data: describeMissingSession(session) };
  }
  if (unknownTools || refusedTool) {
    const data = unknownTools ? `unknown tools: ${unknownTools.join(', ')}` : fault.message;
    return { code: INVALID_PARAMS, message: 'Unknown tools in tools list', data };
  }
  if (fault.code === 'invalid_params') return { code: INVALID_PARAMS, message: rewriteMessage(fault.message) };
  if (failureMessage !== undefined) return { code: INTERNAL_ERROR, message: failureMessage, data: fault.message };
  if (fault.code === 'internal') return { code: INTERNAL_ERROR, message: 'Internal error', data: fault.message };
  return { code: INTERNAL_ERROR, message: fault.message };
}

/** Data of faults for which Opal has its own error texts. */
interface FaultDetails {
  /** The id of a session that does not exist. */
  session?: string;
  unknownTools?: readonly string[];
  /** A tool that the command line does not allow. */
  refusedTool?: string;
}
