// Ground floor: JSON text as it may stand on one line of the wire. Knows no frame shapes.

const SEPARATORS = /[\u007f-\u009f\u2028\u2029]/g;

/**
 * JSON text that no line reader splits and that is harmless on a terminal. U+2028 and U+2029 are legal inside JSON strings, but
 * several hosts' readers (Node's readline among them) treat them as line ends, as Python's `splitlines` treats U+0085; and
 * terminals obey U+009B. So they always leave escaped.
 */
export function toJson(value: unknown): string {
  return escapeSeparators(stringify(value));
}

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    // Node's own goes as deep as the stack: the tree of a long conversation is deeper.
    if (thrown instanceof RangeError) return deepJson(value);
    throw thrown;
  }
}

/** The same text without recursion, for plain data of any depth. */
function deepJson(root: unknown): string {
  const parts: string[] = [];
  /** What is still to be written, last first: finished text, or a value. */
  const rest: (string | { value: unknown })[] = [{ value: root }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === 'string') parts.push(next);
    else if (typeof next.value === 'object' && next.value !== null) {
      for (const piece of piecesOf(next.value).reverse()) rest.push(piece);
    } else parts.push(JSON.stringify(next.value) ?? 'null');
  }
  return parts.join('');
}

function piecesOf(value: object): (string | { value: unknown })[] {
  if (Array.isArray(value)) return ['[', ...value.flatMap((item, i) => [i === 0 ? '' : ',', { value: item }]), ']'];
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const pieces = members.flatMap(([key, member], i) => [
    `${i === 0 ? '' : ','}${JSON.stringify(key)}:`,
    { value: member },
  ]);
  return ['{', ...pieces, '}'];
}

/** The same for text that is already JSON. */
export function escapeSeparators(json: string): string {
  // `search` on the common case allocates nothing.
  return json.search(SEPARATORS) < 0
    ? json
    : json.replace(SEPARATORS, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A string as it stands between the quotes of a JSON string: what a growing serialisation appends. */
export function jsonStringBody(text: string): string {
  return toJson(text).slice(1, -1);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value under a name that may come from outside: names such as `constructor` find nothing that is only inherited. */
export function ownValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** What a wrong value is called in an error message. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}
