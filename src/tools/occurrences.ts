// Finds every place where one text stands in another, overlapping ones included, in time that grows with the sum of their lengths. Pure.

/** `indexOf` compares up to the whole needle at each place; for short needles that is little, and it is the faster one. */
const SHORT = 64;

export function* occurrences(text: string, needle: string): Generator<number> {
  if (needle === '') return;
  if (needle.length > SHORT) return yield* withoutComparingTwice(text, needle);
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) yield at;
}

/** The algorithm of Knuth, Morris and Pratt: after a mismatch it goes on with the longest beginning of the needle that fits. */
function* withoutComparingTwice(text: string, needle: string): Generator<number> {
  const borders = bordersOf(needle);
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

/** For each beginning of the needle: how long its longest beginning is that also ends it. */
function bordersOf(needle: string): Int32Array {
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
