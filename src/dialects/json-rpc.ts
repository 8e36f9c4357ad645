// Parses and builds JSON-RPC 2.0 messages, one per line.
import { isRecord, type Line, toJson } from '../base/index.ts';
import type { Frame } from '../contracts/index.ts';

export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type JsonRpcMessage =
  | { kind: 'request'; method: string; params: unknown; id: unknown }
  | { kind: 'notification'; method: string; params: unknown }
  | { kind: 'response'; id: unknown; result: unknown; error?: unknown }
  | { kind: 'ignored' }
  | { kind: 'unusable'; error: JsonRpcError };

export const PARSE_ERROR: JsonRpcError = { code: -32700, message: 'Parse error' };
export const INVALID_REQUEST: JsonRpcError = { code: -32600, message: 'Invalid request' };

export function parseJsonRpcMessage(line: Line): JsonRpcMessage {
  if ('problem' in line) return { kind: 'unusable', error: PARSE_ERROR };
  if (line.text.trim() === '') return { kind: 'ignored' };
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch {
    return { kind: 'unusable', error: PARSE_ERROR };
  }
  return isRecord(value) && value.jsonrpc === '2.0' ? classifyMessage(value) : invalidRequest;
}

const invalidRequest: JsonRpcMessage = { kind: 'unusable', error: INVALID_REQUEST };

/** The presence of the key decides, not its value: a message with a method and `"id": null` is a request. */
function classifyMessage(value: Record<string, unknown>): JsonRpcMessage {
  const { method, params = {}, id } = value;
  const hasId = Object.hasOwn(value, 'id');
  if (hasId && !isUsableId(id)) return invalidRequest;
  if (typeof method === 'string') {
    return hasId ? { kind: 'request', method, params, id } : { kind: 'notification', method, params };
  }
  if (method !== undefined || !hasId) return invalidRequest;
  if (Object.hasOwn(value, 'error')) return { kind: 'response', id, result: undefined, error: value.error };
  return Object.hasOwn(value, 'result') ? { kind: 'response', id, result: value.result } : invalidRequest;
}

/** An integer beyond the safe range would lose digits in JSON.parse, and the response would have a different id. */
function isUsableId(id: unknown): boolean {
  if (typeof id === 'number') return Number.isFinite(id) && (!Number.isInteger(id) || Number.isSafeInteger(id));
  return id === null || typeof id === 'string';
}

export function createRpcFrame(body: Record<string, unknown>): Frame {
  const line = `${toJson({ jsonrpc: '2.0', ...body })}\n`;
  return { chunks: [line], bytes: line.length };
}

/** Links the frames so that they are written in this order. */
export function chainFrames(frames: readonly Frame[]): Frame | undefined {
  return frames.reduceRight<Frame | undefined>(
    (following, frame) => (following ? appendFrame(frame, following) : frame),
    undefined,
  );
}

/** Not a spread: frames may be class instances whose fields are computed when they are read. */
function appendFrame(frame: Frame, followedBy: Frame): Frame {
  const { chunks, bytes } = frame;
  return { chunks, bytes, ...(frame.fold ? { fold: (next: Frame) => frame.fold?.(next) } : {}), followedBy };
}
