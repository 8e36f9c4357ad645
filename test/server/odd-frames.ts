// Invalid and unusual input lines with the expected reply of each: one error, one success, or none.

export interface OddFrame {
  readonly name: string;
  readonly line: string | Uint8Array;
  /** `undefined`: no reply. `id` only when the protocol returns it. */
  readonly reply: { command: string; success: boolean; id?: string | number; error?: RegExp } | undefined;
}

const parse = (error: RegExp) => ({ command: 'parse', success: false, error });
const notAnObject = (kind: string) =>
  parse(new RegExp(`^Failed to parse command: expected a JSON object \\(got ${kind}\\)$`));
const unreadable = parse(/^Failed to parse command: ./);
const unknown = (command: string) => ({ command, success: false, error: /^Unknown command: / });
const badId = (command: string) => ({ command, success: false, error: /^id must be a string or a number \(got / });
const success = (id: string | number, command = 'get_messages') => ({ id, command, success: true });
const refused = (id: string, command: string, error: RegExp) => ({ id, command, success: false, error });

const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

export const ODD_FRAMES: readonly OddFrame[] = [
  // Not an object.
  { name: 'null', line: 'null', reply: notAnObject('null') },
  { name: 'true', line: 'true', reply: notAnObject('boolean') },
  { name: 'a number', line: '42', reply: notAnObject('number') },
  { name: 'a huge number', line: `1${'0'.repeat(400)}`, reply: notAnObject('number') },
  { name: 'a string', line: '"get_state"', reply: notAnObject('string') },
  { name: 'an empty array', line: '[]', reply: notAnObject('array') },
  { name: 'an array of commands', line: '[{"id":"1","type":"get_messages"}]', reply: notAnObject('array') },
  { name: 'arrays 100,000 deep', line: deep(100_000), reply: notAnObject('array') },
  // Not JSON.
  { name: 'words', line: 'hello there', reply: unreadable },
  { name: 'half an object', line: '{"id":"1","type":"get_messages"', reply: unreadable },
  { name: 'two objects', line: '{"type":"get_messages"}{"type":"get_messages"}', reply: unreadable },
  { name: 'single quotes', line: "{'type':'get_messages'}", reply: unreadable },
  { name: 'a trailing comma', line: '{"type":"get_messages",}', reply: unreadable },
  { name: 'a comment', line: '{"type":"get_messages"} // please', reply: unreadable },
  { name: 'NaN', line: '{"type":"get_messages","id":NaN}', reply: unreadable },
  { name: 'a raw tab in a string', line: '{"type":"get\tmessages"}', reply: unreadable },
  { name: 'a raw NUL in a string', line: '{"id":"a\u0000b","type":"get_messages"}', reply: unreadable },
  { name: 'a NUL before the object', line: '\u0000{"type":"get_messages"}', reply: unreadable },
  { name: 'a bad escape', line: '{"type":"get\\x5fmessages"}', reply: unreadable },
  { name: '100,000 open brackets', line: '['.repeat(100_000), reply: unreadable },
  { name: 'an HTTP request', line: 'GET / HTTP/1.1', reply: unreadable },
  { name: 'an LSP header', line: 'Content-Length: 20', reply: unreadable },
  // Not UTF-8.
  { name: 'a lone continuation byte', line: bytes('{"type":"get_messages","x":"', [0x80], '"}'), reply: unreadable },
  { name: 'an overlong encoding', line: bytes('{"type":"get_messages","x":"', [0xc0, 0xaf], '"}'), reply: unreadable },
  {
    name: 'half a character',
    line: bytes('{"type":"get_messages","x":"', [0xf0, 0x9f, 0x98], '"}'),
    reply: unreadable,
  },
  {
    name: 'an encoded surrogate',
    line: bytes('{"type":"get_messages","x":"', [0xed, 0xa0, 0x80], '"}'),
    reply: unreadable,
  },
  { name: 'Latin-1', line: bytes('{"type":"get_messages","x":"caf', [0xe9], '"}'), reply: unreadable },
  { name: 'UTF-16', line: Buffer.from('{"type":"get_messages"}', 'utf16le'), reply: unreadable },
  // No such command.
  { name: 'an empty object', line: '{}', reply: unknown('unknown') },
  { name: 'only an id', line: '{"id":"1"}', reply: unknown('unknown') },
  { name: 'an unknown type', line: '{"id":"1","type":"fly"}', reply: unknown('fly') },
  { name: 'an empty type', line: '{"id":"1","type":""}', reply: unknown('') },
  { name: 'a type in capitals', line: '{"id":"1","type":"GET_MESSAGES"}', reply: unknown('GET_MESSAGES') },
  { name: 'a type with a space', line: '{"id":"1","type":"get_messages "}', reply: unknown('get_messages ') },
  { name: 'a number for a type', line: '{"id":"1","type":7}', reply: unknown('unknown') },
  { name: 'null for a type', line: '{"id":"1","type":null}', reply: unknown('unknown') },
  { name: 'an object for a type', line: '{"id":"1","type":{"toString":1}}', reply: unknown('unknown') },
  { name: 'an array for a type', line: '{"id":"1","type":["get_messages"]}', reply: unknown('unknown') },
  { name: '__proto__ for a type', line: '{"id":"1","type":"__proto__"}', reply: unknown('__proto__') },
  { name: 'constructor for a type', line: '{"id":"1","type":"constructor"}', reply: unknown('constructor') },
  { name: 'hasOwnProperty for a type', line: '{"id":"1","type":"hasOwnProperty"}', reply: unknown('hasOwnProperty') },
  {
    name: 'response for a type',
    line: '{"id":"1","type":"response","command":"get_messages"}',
    reply: unknown('response'),
  },
  { name: 'an event for a type', line: '{"type":"agent_start"}', reply: unknown('agent_start') },
  { name: 'JSON-RPC', line: '{"jsonrpc":"2.0","id":1,"method":"get_messages"}', reply: unknown('unknown') },
  // Ids that cannot be returned.
  { name: 'null for an id', line: '{"id":null,"type":"get_messages"}', reply: badId('get_messages') },
  { name: 'a boolean for an id', line: '{"id":false,"type":"get_messages"}', reply: badId('get_messages') },
  { name: 'an object for an id', line: '{"id":{"a":1},"type":"get_messages"}', reply: badId('get_messages') },
  { name: 'an array for an id', line: '{"id":["a"],"type":"get_messages"}', reply: badId('get_messages') },
  {
    name: 'arrays 100,000 deep for an id',
    line: `{"id":${deep(100_000)},"type":"get_messages"}`,
    reply: badId('get_messages'),
  },
  {
    name: 'an infinite number for an id',
    line: '{"id":1e999,"type":"get_messages"}',
    reply: badId('get_messages'),
  },
  {
    name: 'an integer that loses digits for an id',
    line: '{"id":9007199254740993,"type":"get_messages"}',
    reply: badId('get_messages'),
  },
  // Unusual, but valid.
  { name: 'an id of zero', line: '{"id":0,"type":"get_messages"}', reply: success(0) },
  { name: 'an empty id', line: '{"id":"","type":"get_messages"}', reply: success('') },
  {
    name: 'a long id',
    line: `{"id":"${'i'.repeat(100_000)}","type":"get_messages"}`,
    reply: success('i'.repeat(100_000)),
  },
  { name: 'half a character in an id', line: '{"id":"\\ud83d","type":"get_messages"}', reply: success('\ud83d') },
  { name: 'an escaped NUL in an id', line: '{"id":"a\\u0000b","type":"get_messages"}', reply: success('a\u0000b') },
  {
    name: 'separators in an id',
    line: '{"id":"a\u2028b\u2029","type":"get_messages"}',
    reply: success('a\u2028b\u2029'),
  },
  { name: 'the same key twice', line: '{"id":"1","id":"2","type":"fly","type":"get_messages"}', reply: success('2') },
  { name: '__proto__ as a key', line: '{"id":"1","type":"get_messages","__proto__":{"id":"2"}}', reply: success('1') },
  {
    name: 'a type that only __proto__ has',
    line: '{"id":"1","__proto__":{"type":"get_messages"}}',
    reply: unknown('unknown'),
  },
  {
    name: 'unknown fields',
    line: '{"id":"1","type":"get_messages","colour":"red","n":{"a":[1]}}',
    reply: success('1'),
  },
  {
    name: 'an unknown field 100,000 deep',
    line: `{"id":"1","type":"get_messages","x":${deep(100_000)}}`,
    reply: success('1'),
  },
  { name: 'spaces all around', line: ' \t{ "id" : "1" , "type" : "get_messages" } \t', reply: success('1') },
  { name: 'a carriage return at the end', line: '{"id":"1","type":"get_messages"}\r', reply: success('1') },
  { name: 'a byte order mark', line: '\ufeff{"id":"1","type":"get_messages"}', reply: success('1') },
  { name: 'escapes in keys', line: '{"\\u0069d":"1","\\u0074ype":"get_messages"}', reply: success('1') },
  // Invalid fields.
  {
    name: 'a message 100,000 deep',
    line: `{"id":"1","type":"steer","message":${deep(100_000)}}`,
    reply: refused('1', 'steer', /^message must be a string \(got array\)$/),
  },
  {
    name: 'a blank name',
    line: '{"id":"1","type":"set_session_name","name":" \\n"}',
    reply: refused('1', 'set_session_name', /^Session name cannot be empty$/),
  },
  {
    name: 'a blank shell command',
    line: '{"id":"1","type":"bash","command":""}',
    reply: refused('1', 'bash', /^command cannot be empty$/),
  },
  {
    name: 'a message in __proto__ only',
    line: '{"id":"1","type":"steer","__proto__":{"message":"x"}}',
    reply: refused('1', 'steer', /^message is required$/),
  },
  // No reply.
  { name: 'spaces', line: '   ', reply: undefined },
  { name: 'nothing', line: '', reply: undefined },
  { name: 'a carriage return', line: '\r', reply: undefined },
  {
    name: 'an answer to an unknown request',
    line: '{"type":"extension_ui_response","id":"q","value":"x"}',
    reply: undefined,
  },
  { name: 'an answer without an id', line: '{"type":"extension_ui_response","value":"x"}', reply: undefined },
  { name: 'an answer without a value', line: '{"type":"extension_ui_response","id":"q"}', reply: undefined },
  {
    name: 'an answer of a wrong type',
    line: '{"type":"extension_ui_response","id":"q","confirmed":"yes"}',
    reply: undefined,
  },
];
