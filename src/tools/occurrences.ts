// Finds all occurrences of a string, including overlapping ones, in linear time.

/** `indexOf` may compare the whole needle at each position. For needles up to this length it is still the fastest. */
const MAX_NAIVE_LENGTH = 64;

export function* findOccurrences(text: string, needle: string): Generator<number> {
  if (needle === '') return;
  if (needle.length > MAX_NAIVE_LENGTH) return yield* findWithKmp(text, needle);
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) yield at;
}

/** Knuth-Morris-Pratt: after a mismatch it continues with the longest prefix of the needle that still matches. */
function* findWithKmp(text: string, needle: string): Generator<number> {
  const borders = computeBorders(needle);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1] as number;
    if (needle.charCodeAt(matched) === unit) matched += 1;
    if (matched < needle.length) continue;
    yield at + 1 - needle.length;
    matched = borders[matched - 1] as number;
  }
}

/** For each prefix of the needle: the length of its longest proper prefix that is also its suffix. */
function computeBorders(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  let length = 0;
  for (let at = 1; at < needle.length; at += 1) {
    const unit = needle.charCodeAt(at);
    while (length > 0 && needle.charCodeAt(length) !== unit) length = borders[length - 1] as number;
    if (needle.charCodeAt(length) === unit) length += 1;
    borders[at] = length;
  }
  return borders;
}
