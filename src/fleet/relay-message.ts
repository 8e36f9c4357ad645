// The messages in a row of the relay: several in one row, and long ones in parts.

/** `part`: more of the same message follows. `read`: how many bytes the other side has taken. */
export type MessageKind = 'data' | 'part' | 'read' | 'close' | 'open';

export interface RelayMessage {
  readonly kind: MessageKind;
  readonly body: Buffer;
}

const KINDS: readonly MessageKind[] = ['data', 'part', 'read', 'close', 'open'];
const HEAD_BYTES = 5;

/** Messages are cut into parts of this length, so that a row has at most about twice as many bytes. */
export const MAX_PART_BYTES = 256 * 1024;

export function encodeMessage(kind: MessageKind, body: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(KINDS.indexOf(kind), 0);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

/** As it counts on both sides. */
export function getEncodedLength(body: Uint8Array): number {
  return HEAD_BYTES + body.length;
}

/** The parts of a message, encoded. Short messages have one. */
export function encodeParts(body: Uint8Array): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (; body.length - start > MAX_PART_BYTES; start += MAX_PART_BYTES)
    parts.push(encodeMessage('part', body.subarray(start, start + MAX_PART_BYTES)));
  parts.push(encodeMessage('data', body.subarray(start)));
  return parts;
}

export function encodeCount(count: number): Buffer {
  const body = Buffer.alloc(8);
  body.writeDoubleBE(count);
  return encodeMessage('read', body);
}

export function decodeCount(body: Buffer): number {
  return body.readDoubleBE();
}

/** Throws when the row does not consist of whole messages. */
export function decodeMessages(row: Buffer): RelayMessage[] {
  const messages: RelayMessage[] = [];
  for (let at = 0; at < row.length; ) {
    const kind = KINDS[row.readUInt8(at)];
    const end = at + HEAD_BYTES + row.readUInt32BE(at + 1);
    if (!kind || end > row.length) throw new RangeError('A row of the relay does not consist of whole messages.');
    messages.push({ kind, body: row.subarray(at + HEAD_BYTES, end) });
    at = end;
  }
  return messages;
}
