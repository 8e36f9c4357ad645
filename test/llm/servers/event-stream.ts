// Encodes messages of the AWS binary event stream: lengths, headers and payload, each with a CRC.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum >>> 0;
});

export function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ (TABLE[(sum ^ byte) & 0xff] ?? 0);
  return (sum ^ 0xffffffff) >>> 0;
}

const PRELUDE = 12;
const STRING = 7;

export function eventMessage(headers: Readonly<Record<string, string>>, payload: string): Uint8Array {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const message = Buffer.alloc(PRELUDE + head.length + body.length + 4);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(head.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  head.copy(message, PRELUDE);
  body.copy(message, PRELUDE + head.length);
  message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
  return message;
}

function header(name: string, value: string): Buffer {
  const bytes = Buffer.from(value);
  const size = Buffer.alloc(3);
  size.writeUInt8(STRING, 0);
  size.writeUInt16BE(bytes.length, 1);
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), size, bytes]);
}
