// CRC-32 for AWS event streams. Node 20 has no such function.
// @ts-check
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum;
});

/** @param {Uint8Array} bytes */
export function crc32(bytes) {
  let sum = ~0;
  for (const byte of bytes) sum = (sum >>> 8) ^ /** @type {number} */ (TABLE[(sum ^ byte) & 255]);
  return ~sum >>> 0;
}
