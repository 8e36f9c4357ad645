// The hall, testing: does a frame look as expected? Pure.
import { isRecord } from '../base/index.ts';

/**
 * Expected values are compared exactly, except: `"*"` stands for anything; `"*words*"` for a text that
 * holds these words; `"$name"` stands for anything the first time
 * and for the same thing from then on; an object with the key `"..."` may have more keys than are named.
 */
export interface Matcher {
  /** `undefined` when it fits, otherwise the path of the first difference. */
  difference(expected: unknown, actual: unknown, options?: { subset?: boolean }): string | undefined;
  /** Puts captured values in the place of their names. */
  fill(text: string): string;
}

export function createMatcher(): Matcher {
  const captured = new Map<string, unknown>();

  const scalar = (expected: unknown, actual: unknown, path: string): string | undefined => {
    if (expected === '*') return undefined;
    const part = typeof expected === 'string' ? /^\*(.+)\*$/s.exec(expected)?.[1] : undefined;
    if (part !== undefined) return typeof actual === 'string' && actual.includes(part) ? undefined : path;
    if (typeof expected === 'string' && /^\$\w+$/.test(expected)) {
      if (!captured.has(expected)) captured.set(expected, actual);
      return JSON.stringify(captured.get(expected)) === JSON.stringify(actual) ? undefined : path;
    }
    return Object.is(expected, actual) ? undefined : path;
  };

  const compare = (expected: unknown, actual: unknown, path: string, subset: boolean): string | undefined => {
    if (Array.isArray(expected)) {
      if (!Array.isArray(actual) || actual.length !== expected.length) return path;
      return first(expected.map((value, i) => () => compare(value, actual[i], `${path}[${i}]`, subset)));
    }
    if (!isRecord(expected)) return scalar(expected, actual, path);
    if (!isRecord(actual)) return path;
    const keys = Object.keys(expected).filter((key) => key !== '...');
    const open = subset || '...' in expected;
    const extra = open ? undefined : Object.keys(actual).find((key) => !(key in expected));
    if (extra !== undefined) return `${path}.${extra}`;
    return first(
      keys.map(
        (key) => () =>
          key in actual ? compare(expected[key], actual[key], `${path}.${key}`, subset) : `${path}.${key}`,
      ),
    );
  };

  return {
    difference: (expected, actual, options = {}) => compare(expected, actual, '$', options.subset ?? false),
    fill: (text) =>
      text.replace(/"(\$\w+)"/g, (whole, name) => (captured.has(name) ? JSON.stringify(captured.get(name)) : whole)),
  };
}

function first(checks: (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const found = check();
    if (found !== undefined) return found;
  }
  return undefined;
}
