// Encodes and decodes WebSocket frames (RFC 6455) for a client. Does no input or output.
import { concatBytes } from '../../base/index.ts';

export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Codes of a close frame that this client sends itself. */
export const CLOSE_CODES = { normal: 1000, protocolError: 1002, invalidText: 1007, tooLarge: 1009 } as const;

export type WebSocketMessage =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'ping' | 'pong'; readonly data: Uint8Array }
  | { readonly kind: 'close'; readonly code: number | undefined; readonly reason: string };

/** The peer has violated the protocol. `closeCode` is what the close frame must contain. */
export class WebSocketProtocolError extends Error {
  readonly closeCode: number;

  constructor(message: string, closeCode: number = CLOSE_CODES.protocolError) {
    super(message);
    this.name = 'WebSocketProtocolError';
    this.closeCode = closeCode;
  }
}

interface FrameHeader {
  readonly isFinal: boolean;
  readonly opcode: number;
  readonly length: number;
}

const FINAL_BIT = 0x80;
const RESERVED_BITS = 0x70;
const MASK_BIT = 0x80;
const OPCODE_BITS = 0x0f;
const LENGTH_16 = 126;
const LENGTH_64 = 127;
const MAX_CONTROL_BYTES = 125;
const MASK_BYTES = 4;
/** They stand for ends without a close frame, or have no meaning. */
const RESERVED_CLOSE_CODES: ReadonlySet<number> = new Set([1004, 1005, 1006]);
/** A close frame without a code. */
const NO_STATUS = undefined;

/** One frame with the whole payload. A client must mask every frame. */
export function encodeFrame(opcode: number, payload: Uint8Array, mask: Uint8Array): Uint8Array {
  const lengthBytes = payload.length < LENGTH_16 ? 0 : payload.length < 0x1_0000 ? 2 : 8;
  const start = 2 + lengthBytes + MASK_BYTES;
  const frame = new Uint8Array(start + payload.length);
  const view = new DataView(frame.buffer);
  frame[0] = FINAL_BIT | opcode;
  frame[1] = MASK_BIT | (lengthBytes === 0 ? payload.length : lengthBytes === 2 ? LENGTH_16 : LENGTH_64);
  if (lengthBytes === 2) view.setUint16(2, payload.length);
  if (lengthBytes === 8) view.setBigUint64(2, BigInt(payload.length));
  frame.set(mask, start - MASK_BYTES);
  for (let at = 0; at < payload.length; at++) frame[start + at] = (payload[at] ?? 0) ^ (mask[at % MASK_BYTES] ?? 0);
  return frame;
}

export function encodeClosePayload(code: number, reason = ''): Uint8Array {
  const text = new TextEncoder().encode(reason).subarray(0, MAX_CONTROL_BYTES - 2);
  const payload = new Uint8Array(2 + text.length);
  new DataView(payload.buffer).setUint16(0, code);
  payload.set(text, 2);
  return payload;
}

/** Collects bytes and returns the messages that are complete. Throws WebSocketProtocolError. */
export class WebSocketFrameReader {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #chunks: Uint8Array[] = [];
  #available = 0;
  #header: FrameHeader | undefined;
  #fragments: Uint8Array[] | undefined;
  #fragmentBytes = 0;

  /** `maxBytes`: the limit of one message. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): WebSocketMessage[] {
    if (chunk.length > 0) this.#chunks.push(chunk);
    this.#available += chunk.length;
    const messages: WebSocketMessage[] = [];
    for (;;) {
      this.#header ??= this.#readHeader();
      if (!this.#header || this.#available < this.#header.length) return messages;
      const header = this.#header;
      this.#header = undefined;
      const message = this.#handleFrame(header, this.#take(header.length));
      if (message) messages.push(message);
    }
  }

  #readHeader(): FrameHeader | undefined {
    const start = this.#peek(2);
    if (!start) return undefined;
    const [first = 0, second = 0] = start;
    const lengthBytes = (second & 0x7f) === LENGTH_16 ? 2 : (second & 0x7f) === LENGTH_64 ? 8 : 0;
    const bytes = this.#peek(2 + lengthBytes);
    if (!bytes) return undefined;
    this.#take(2 + lengthBytes);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const length = lengthBytes === 0 ? second & 0x7f : lengthBytes === 2 ? view.getUint16(2) : readLength(view);
    const header = { isFinal: (first & FINAL_BIT) !== 0, opcode: first & OPCODE_BITS, length };
    if ((first & RESERVED_BITS) !== 0) throw new WebSocketProtocolError('a reserved bit is set');
    if ((second & MASK_BIT) !== 0) throw new WebSocketProtocolError('the server masks its frames');
    this.#checkHeader(header);
    return header;
  }

  #checkHeader({ isFinal, opcode, length }: FrameHeader): void {
    if (opcode >= OPCODES.close) {
      if (!isFinal || length > MAX_CONTROL_BYTES) throw new WebSocketProtocolError('a control frame is invalid');
    } else if (this.#fragmentBytes + length > this.#maxBytes) {
      const message = `a message has more than ${this.#maxBytes} bytes`;
      throw new WebSocketProtocolError(message, CLOSE_CODES.tooLarge);
    }
  }

  #handleFrame({ isFinal, opcode }: FrameHeader, payload: Uint8Array): WebSocketMessage | undefined {
    if (opcode === OPCODES.ping) return { kind: 'ping', data: payload };
    if (opcode === OPCODES.pong) return { kind: 'pong', data: payload };
    if (opcode === OPCODES.close) return this.#decodeClose(payload);
    if (opcode === OPCODES.continuation ? !this.#fragments : this.#fragments)
      throw new WebSocketProtocolError('fragments of a message are out of order');
    if (opcode !== OPCODES.continuation && opcode !== OPCODES.text)
      throw new WebSocketProtocolError(`opcode ${opcode} is not supported`);
    const fragments = this.#fragments ?? [];
    fragments.push(payload);
    this.#fragments = isFinal ? undefined : fragments;
    this.#fragmentBytes = isFinal ? 0 : this.#fragmentBytes + payload.length;
    return isFinal ? { kind: 'text', text: this.#decodeText(concatBytes(fragments)) } : undefined;
  }

  #decodeClose(payload: Uint8Array): WebSocketMessage {
    if (payload.length === 0) return { kind: 'close', code: NO_STATUS, reason: '' };
    if (payload.length === 1) throw new WebSocketProtocolError('a close frame is invalid');
    const code = new DataView(payload.buffer, payload.byteOffset).getUint16(0);
    if (!isCloseCode(code)) throw new WebSocketProtocolError(`a close frame has the code ${code}`);
    return { kind: 'close', code, reason: this.#decodeText(payload.subarray(2)) };
  }

  #decodeText(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      throw new WebSocketProtocolError('a text is not valid UTF-8', CLOSE_CODES.invalidText);
    }
  }

  /** The first bytes, without removing them. */
  #peek(count: number): Uint8Array | undefined {
    if (this.#available < count) return undefined;
    const [first] = this.#chunks;
    if (first && first.length >= count) return first.subarray(0, count);
    this.#chunks = [concatBytes(this.#chunks)];
    return this.#chunks[0]?.subarray(0, count);
  }

  /** Removes the first bytes. They must be available. */
  #take(count: number): Uint8Array {
    const parts: Uint8Array[] = [];
    for (let missing = count; missing > 0; ) {
      const [chunk = new Uint8Array()] = this.#chunks;
      parts.push(chunk.subarray(0, missing));
      if (chunk.length > missing) this.#chunks[0] = chunk.subarray(missing);
      else this.#chunks.shift();
      missing -= Math.min(missing, chunk.length);
    }
    this.#available -= count;
    return concatBytes(parts);
  }
}

/** Whether a close frame may contain the code (RFC 6455, 7.4). */
function isCloseCode(code: number): boolean {
  return (code >= 1000 && code <= 1014 && !RESERVED_CLOSE_CODES.has(code)) || (code >= 3000 && code <= 4999);
}

/** A length above the safe integers is above every limit too. */
function readLength(view: DataView): number {
  return Number(view.getBigUint64(2));
}
