// Frames of Opal's events.
import { toJsonStringBody } from '../../base/index.ts';
import type { Frame } from '../../contracts/index.ts';
import { createRpcFrame } from '../json-rpc.ts';
import type { OpalEventType } from './event-schemas.ts';

export interface OpalEvent {
  readonly type: OpalEventType;
  readonly [field: string]: unknown;
}

export function createEventFrame(sessionId: string, event: OpalEvent): Frame {
  return createRpcFrame({ method: 'agent/event', params: { session_id: sessionId, ...event } });
}

/** A text or thinking delta. Two deltas of the same kind fold while the host reads slowly. No text is serialized twice. */
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
    const session = toJsonStringBody(sessionId);
    const head = `{"jsonrpc":"2.0","method":"agent/event","params":{"session_id":"${session}","type":"${type}","delta":"`;
    return new DeltaFrame(head, toJsonStringBody(delta));
  }

  fold(next: Frame): Frame | undefined {
    if (!(next instanceof DeltaFrame) || next.#head !== this.#head) return undefined;
    return new DeltaFrame(this.#head, this.#body + next.#body);
  }
}
