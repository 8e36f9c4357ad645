// Serializes JSON for one line of the wire, and parses JSON that may be invalid.

const UNSAFE_CHARACTERS = /[\u007f-\u009f\u2028\u2029]/g;

/**
 * JSON text that no line reader splits and that is safe on a terminal. U+2028 and U+2029 are legal inside JSON strings, but
 * some line readers (Node's readline among them) treat them as line ends, and Python's `splitlines` does so with U+0085.
 * Terminals execute U+009B as a control sequence. All of them are always escaped.
 */
export function toJson(value: unknown): string {
  return escapeSeparators(stringify(value));
}

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    // JSON.stringify is recursive: the entry tree of a long session overflows the stack.
    if (thrown instanceof RangeError) return stringifyDeep(value);
    throw thrown;
  }
}

/** The same text without recursion, for plain data of any depth. */
function stringifyDeep(root: unknown): string {
  const parts: string[] = [];
  /** What is still to be written, last first: finished text, or a value. */
  const stack: (string | { value: unknown })[] = [{ value: root }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') parts.push(next);
    else if (typeof next.value === 'object' && next.value !== null) {
      for (const piece of expandValue(next.value).reverse()) stack.push(piece);
    } else parts.push(JSON.stringify(next.value) ?? 'null');
  }
  return parts.join('');
}

function expandValue(value: object): (string | { value: unknown })[] {
  if (Array.isArray(value)) return ['[', ...value.flatMap((item, i) => [i === 0 ? '' : ',', { value: item }]), ']'];
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const pieces = members.flatMap(([key, member], i) => [
    `${i === 0 ? '' : ','}${JSON.stringify(key)}:`,
    { value: member },
  ]);
  return ['{', ...pieces, '}'];
}

/** Escapes the same characters in text that is already JSON. */
export function escapeSeparators(json: string): string {
  // `search` on the common case allocates nothing.
  return json.search(UNSAFE_CHARACTERS) < 0
    ? json
    : json.replace(UNSAFE_CHARACTERS, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The JSON form of a string without its quotes, to append to a JSON string that is written in parts. */
export function toJsonStringBody(text: string): string {
  return toJson(text).slice(1, -1);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Looks up an untrusted name: inherited properties such as `constructor` are not found. */
export function getOwnValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The type name of a value for error messages. */
export function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** `undefined` when the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `undefined` when the text is not a JSON object. */
export function tryParseObject(text: string): Record<string, unknown> | undefined {
  const value = tryParseJson(text);
  return isRecord(value) ? value : undefined;
}
