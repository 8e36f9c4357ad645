// How values are written in statements of PostgreSQL, and read from rows. The driver has no types for 8-byte numbers and bytes as they are used here.

/** The numbers that PostgreSQL gives to types. */
const INT8 = 20;
const BYTEA = 17;
const INT4_ARRAY = 1007;
const INT8_ARRAY = 1016;
const TEXT_ARRAY = 1009;

export const POSTGRES_TYPES = {
  bigint: { to: INT8, from: [INT8], parse: Number, serialize: String },
  bytea: {
    to: BYTEA,
    from: [BYTEA],
    parse: (text: string) => Buffer.from(text.slice(2), 'hex'),
    serialize: (bytes: Uint8Array) =>
      `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`,
  },
  int4Array: createArrayType(INT4_ARRAY, Number),
  int8Array: createArrayType(INT8_ARRAY, Number),
  textArray: createArrayType(TEXT_ARRAY, String),
};

const ARRAY_ITEM = /"((?:[^"\\]|\\.)*)"|[^{},]+/gs;

/** Arrays of one dimension without null. */
function createArrayType<Item>(type: number, parseItem: (text: string) => Item) {
  return {
    to: type,
    from: [type],
    serialize: (items: readonly Item[]) => `{${items.map((item) => quote(String(item))).join(',')}}`,
    parse: (text: string): Item[] =>
      [...text.matchAll(ARRAY_ITEM)].map(([item, quoted]) => parseItem(quoted?.replace(/\\(.)/gs, '$1') ?? item)),
  };
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
