// Builds the responses of the HTTP API: results, failures and security headers.
import { Fault, type FaultCode, isRecord, toJson } from '../base/index.ts';
import type { BackendReply } from './backend.ts';

/** Other codes are 422: the request is well formed, and the command refuses it. */
const STATUS_OF_FAULTS: Partial<Record<FaultCode, number>> = {
  parse: 400,
  invalid_params: 400,
  not_found: 404,
  unknown_command: 404,
  busy: 409,
  internal: 500,
  storage: 500,
};

/** The machine-readable reasons of faults, which count more than their codes. */
const STATUS_OF_REASONS: ReadonlyMap<unknown, number> = new Map([
  ['too_large', 413],
  ['read_only', 403],
  ['in_use', 409],
  ['too_many_clients', 503],
  ['unavailable', 503],
  ['unsupported_media_type', 415],
]);

/** In seconds, for responses with 503. */
export const RETRY_AFTER = 5;

/** An exported page has its own inline script and style, and must not reach this server. */
export const EXPORT_SECURITY_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts";

export function createJsonResponse(value: unknown, status = 200): Response {
  return createTextResponse(toJson(value), { 'content-type': 'application/json; charset=utf-8' }, status);
}

/** The length is declared, so that the memory of the response can be counted. */
export function createTextResponse(text: string, headers: Readonly<Record<string, string>>, status = 200): Response {
  return new Response(text, { status, headers: { ...headers, 'content-length': String(Buffer.byteLength(text)) } });
}

/** Refusals of the server itself, before a command is called. */
export function createErrorResponse(status: number, code: string, message: string): Response {
  return createJsonResponse({ success: false, error: { code, message } }, status);
}

export function createFaultResponse({ code, message, details }: Fault): Response {
  const reason = isRecord(details) ? details.reason : undefined;
  const status = STATUS_OF_REASONS.get(reason) ?? STATUS_OF_FAULTS[code];
  const body = { code, message, ...(details === undefined ? {} : { details }) };
  const response = createJsonResponse({ success: false, error: body }, status ?? 422);
  if (status === 503) response.headers.set('retry-after', String(RETRY_AFTER));
  return response;
}

export function createReplyResponse(reply: BackendReply): Response {
  if (reply.status === 'failed') return createFaultResponse(reply.fault);
  if (reply.status === 'accepted')
    return createJsonResponse({ success: true, data: { disposition: reply.disposition } }, 202);
  const { result, outcome } = reply;
  return createJsonResponse({ success: true, data: result ?? null, ...(outcome ? { outcome } : {}) });
}

export function createThrownResponse(thrown: unknown): Response {
  if (thrown instanceof Fault) return createFaultResponse(thrown);
  return createErrorResponse(500, 'internal', 'The request has failed. The log of the server has the reason.');
}
