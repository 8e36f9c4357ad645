// Compares a frame with an expected pattern.
import { isRecord } from '../base/index.ts';

/**
 * Expected values are compared exactly, with these exceptions: `"*"` matches anything. `"*text*"` matches a string that
 * contains the text. `"$name"` matches anything the first time and the same value after that. An object with the key
 * `"..."` may have more keys than are listed.
 */
export interface Matcher {
  /** Returns `undefined` on a match, otherwise the path of the first difference. */
  findDifference(expected: unknown, actual: unknown, options?: { subset?: boolean }): string | undefined;
  /** Replaces the names of captured values with the values. */
  substituteCaptures(text: string): string;
}

/** `known` has values that are captured before the first comparison, by their names. */
export function createMatcher(known: Readonly<Record<string, unknown>> = {}): Matcher {
  const captured = new Map<string, unknown>(Object.entries(known));

  const compareScalar = (expected: unknown, actual: unknown, path: string): string | undefined => {
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
      return findFirstDifference(expected.map((value, i) => () => compare(value, actual[i], `${path}[${i}]`, subset)));
    }
    if (!isRecord(expected)) return compareScalar(expected, actual, path);
    if (!isRecord(actual)) return path;
    const keys = Object.keys(expected).filter((key) => key !== '...');
    const allowsExtraKeys = subset || '...' in expected;
    const extra = allowsExtraKeys ? undefined : Object.keys(actual).find((key) => !(key in expected));
    if (extra !== undefined) return `${path}.${extra}`;
    return findFirstDifference(
      keys.map(
        (key) => () =>
          key in actual ? compare(expected[key], actual[key], `${path}.${key}`, subset) : `${path}.${key}`,
      ),
    );
  };

  return {
    findDifference: (expected, actual, options = {}) => compare(expected, actual, '$', options.subset ?? false),
    substituteCaptures: (text) =>
      text.replace(/"(\$\w+)"/g, (whole, name) => (captured.has(name) ? JSON.stringify(captured.get(name)) : whole)),
  };
}

function findFirstDifference(checks: (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const difference = check();
    if (difference !== undefined) return difference;
  }
  return undefined;
}
