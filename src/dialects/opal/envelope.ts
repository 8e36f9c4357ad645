// First floor, dialects: JSON-RPC 2.0 envelopes, one to a line. Knows no method.
import { isRecord, jsonStringBody, type Line, toJson } from '../../base/index.ts';
import type { Frame } from '../../contracts/index.ts';
import type { OpalEventType } from './told.ts';

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type Message =
  | { kind: 'request'; method: string; params: unknown; id: unknown }
  | { kind: 'notification' }
  | { kind: 'response'; id: unknown; result: unknown }
  | { kind: 'nothing' }
  | { kind: 'unusable'; error: RpcError };

export const PARSE_ERROR: RpcError = { code: -32700, message: 'Parse error' };
export const INVALID_REQUEST: RpcError = { code: -32600, message: 'Invalid request' };

export function readMessage(line: Line): Message {
  if ('problem' in line) return { kind: 'unusable', error: PARSE_ERROR };
  if (line.text.trim() === '') return { kind: 'nothing' };
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch {
    return { kind: 'unusable', error: PARSE_ERROR };
  }
  return isRecord(value) && value.jsonrpc === '2.0' ? understood(value) : unusable;
}

const unusable: Message = { kind: 'unusable', error: INVALID_REQUEST };

/** That the key is there counts, not what it holds: an id of null with a method is a request. */
function understood(value: Record<string, unknown>): Message {
  const { method, params = {}, id } = value;
  const hasId = Object.hasOwn(value, 'id');
  if (hasId && !isUsableId(id)) return unusable;
  if (typeof method === 'string') {
    return hasId ? { kind: 'request', method, params, id } : { kind: 'notification' };
  }
  if (method !== undefined || !hasId) return unusable;
  if (Object.hasOwn(value, 'error')) return { kind: 'response', id, result: undefined };
  return Object.hasOwn(value, 'result') ? { kind: 'response', id, result: value.result } : unusable;
}

/** A number that JSON cannot give back digit for digit would be echoed as another id. */
function isUsableId(id: unknown): boolean {
  if (typeof id === 'number') return Number.isFinite(id) && (!Number.isInteger(id) || Number.isSafeInteger(id));
  return id === null || typeof id === 'string';
}

export function frameOf(body: Record<string, unknown>): Frame {
  const line = `${toJson({ jsonrpc: '2.0', ...body })}\n`;
  return { chunks: [line], bytes: line.length };
}

export interface OpalEvent {
  readonly type: OpalEventType;
  readonly [field: string]: unknown;
}

export function eventFrame(sessionId: string, event: OpalEvent): Frame {
  return frameOf({ method: 'agent/event', params: { session_id: sessionId, ...event } });
}

/** One behind the other, in this order. */
export function chain(frames: readonly Frame[]): Frame | undefined {
  return frames.reduceRight<Frame | undefined>((behind, frame) => (behind ? { ...frame, behind } : frame), undefined);
}

/** What grows. Two of the same kind fold while the host is slow; the text is never serialised twice. */
export class DeltaFrame implements Frame {
  readonly chunks: readonly string[];
  readonly bytes: number;
  readonly #head: string;
  readonly #body: string;

  constructor(head: string, body: string) {
    this.#head = head;
    this.#body = body;
    const line = `${head}${body}"}}\n`;
    this.chunks = [line];
    this.bytes = line.length;
  }

  static of(sessionId: string, type: string, delta: string): DeltaFrame {
    const session = jsonStringBody(sessionId);
    const head = `{"jsonrpc":"2.0","method":"agent/event","params":{"session_id":"${session}","type":"${type}","delta":"`;
    return new DeltaFrame(head, jsonStringBody(delta));
  }

  fold(next: Frame): Frame | undefined {
    if (!(next instanceof DeltaFrame) || next.#head !== this.#head) return undefined;
    return new DeltaFrame(this.#head, this.#body + next.#body);
  }
}
