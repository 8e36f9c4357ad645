// Converts faults to JSON-RPC errors with the codes of ACP.
import { Fault, isRecord } from '../../base/index.ts';
import type { JsonRpcError } from '../json-rpc.ts';

const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const AUTH_REQUIRED = -32000;
const REQUEST_CANCELLED = -32800;
const RESOURCE_NOT_FOUND = -32002;

/** A fault that is sent as this JSON-RPC error, unchanged. */
export class AcpFault extends Fault {
  readonly error: JsonRpcError;

  constructor(error: JsonRpcError) {
    super('refused', error.message);
    this.error = error;
  }
}

/** Ends a call before its command runs. The response is this result. */
export class EarlyResult extends Fault {
  readonly result: unknown;

  constructor(result: unknown) {
    super('refused', 'The call was answered before its command');
    this.result = result;
  }
}

export function createMethodNotFoundFault(method: string): AcpFault {
  return new AcpFault({ code: METHOD_NOT_FOUND, message: `Method not found: ${method}` });
}

export function createNotInitializedFault(method: string): AcpFault {
  return new AcpFault({ code: INVALID_REQUEST, message: `Call initialize before ${method}` });
}

export function createInvalidParamsFault(message: string): AcpFault {
  return new AcpFault({ code: INVALID_PARAMS, message: `Invalid params: ${message}` });
}

/** `authMethods` are offered to the user. */
export function createAuthRequiredFault(message: string, authMethods: readonly unknown[] = []): AcpFault {
  return new AcpFault({ code: AUTH_REQUIRED, message, data: { authMethods } });
}

export function createRequestCancelledError(): JsonRpcError {
  return { code: REQUEST_CANCELLED, message: 'Request cancelled' };
}

export function toJsonRpcError(fault: Fault, authMethods: readonly unknown[]): JsonRpcError {
  if (fault instanceof AcpFault) return fault.error;
  const { code, message, details } = fault;
  if (isRecord(details) && typeof details.session === 'string')
    return { code: RESOURCE_NOT_FOUND, message: `Session not found: ${details.session}` };
  if (code === 'invalid_params') return { code: INVALID_PARAMS, message: `Invalid params: ${message}` };
  if (code === 'no_credentials') return { code: AUTH_REQUIRED, message, data: { authMethods } };
  if (code === 'not_found') return { code: RESOURCE_NOT_FOUND, message };
  return { code: INTERNAL_ERROR, message };
}
