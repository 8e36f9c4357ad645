// Texts that are made to take long or to overflow the stack: time grows with the length, and the check always ends with a decision.
import { expect, test } from 'vitest';
import { parseShellCommand } from '../../src/permissions/shell/index.ts';
import { decide } from './decide.ts';

const LENGTH = 64 * 1024;
/** Generous: other work on the machine must not make the test fail. Quadratic time would take minutes. */
const MAX_MILLISECONDS = 5000;
/** Differences below this are noise of the machine. */
const MIN_MILLISECONDS = 1000;
const MAX_RATIO = 6;

const PIECES: readonly string[] = [
  ...['$(', '`', '"', '${', '((', '{', '<<a', "$'", '\\', '[[', ';', "'", '(', ')', '}', '$((', '<(', '\\`', '\n', '#'],
  ...[
    'a ',
    'a;',
    'a|',
    'a&&',
    '>f ',
    '2>&1 ',
    'A=1 ',
    '$x',
    '*',
    '{a,',
    '~',
    '\\\n',
    '<<a\n',
    'a=(',
    'a[',
    '!',
    'time ',
  ],
  ...[
    'sh -c ',
    "sh -c '",
    'env ',
    'nice -5 ',
    'find -exec ',
    'xargs ',
    'sudo ',
    'git -c ',
    'eval ',
    'command ',
    'if ',
    'case a in ',
  ],
  ...['for a in ', 'f() {', 'sed s/', 'awk ', 'perl -e ', '\u00e9', '\ud800', 'a.', '..', '/', ','],
];
const PREFIXES: readonly string[] = ['', 'find '];

function repeat(prefix: string, piece: string, length: number): string {
  return (prefix + piece.repeat(Math.ceil(length / piece.length))).slice(0, length);
}

function measure(text: string): number {
  const start = performance.now();
  parseShellCommand(text, '/bin/bash');
  return performance.now() - start;
}

test.each(PIECES)('%j', { timeout: 60_000 }, (piece) => {
  for (const prefix of PREFIXES) {
    const half = measure(repeat(prefix, piece, LENGTH / 2));
    const whole = measure(repeat(prefix, piece, LENGTH));
    expect(whole, prefix).toBeLessThan(MAX_MILLISECONDS);
    expect(whole, prefix).toBeLessThan(Math.max(MIN_MILLISECONDS, half * MAX_RATIO));
  }
});

test('sh -c in sh -c', () => {
  let text = 'rm x';
  while (text.length < LENGTH / 4) text = `sh -c '${text.replaceAll("'", "'\\''")}'`;
  expect(measure(text)).toBeLessThan(MAX_MILLISECONDS);
  expect(parseShellCommand(`${'sh -c "'.repeat(5000)}rm x`, '/bin/bash').problems).not.toEqual([]);
});

const RULES = Array.from({ length: 100 }, (_, index) => [
  `bash(program-${index} * --x${index})`,
  `read(secret-${index}/**)`,
]).flat();

test.each(['$(', '`', '"', '<<a', 'a ', 'a;', 'rm x;', 'sh -c ', 'find -exec ', 'a=b ', '>f ', 'node -e ', 'a/b '])(
  '200 rules and %j',
  { timeout: 120_000 },
  async (piece) => {
    const start = performance.now();
    const command = repeat('', piece, LENGTH);
    expect(['ask', 'allow']).toContain(await decide({ command, policy: 'never', deny: RULES }));
    expect(await decide({ command: `${command};rm x`, policy: 'never', deny: [...RULES, 'bash(rm *)'] })).not.toBe(
      'allow',
    );
    expect(performance.now() - start).toBeLessThan(12 * MAX_MILLISECONDS);
  },
);
