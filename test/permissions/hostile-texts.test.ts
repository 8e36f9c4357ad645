// Texts that are made to take long or to overflow the stack: time grows with the length, and the check always ends with a decision.
import { expect, test } from 'vitest';
import { parseShellCommand } from '../../src/permissions/shell/index.ts';
import { decide } from './decide.ts';

const LENGTH = 64 * 1024;
/** Of processor time. A parser takes less than 100 on a usual machine; the rest is for slower ones. */
const MAX_MILLISECONDS = 500;
/** Differences below this are noise of the machine. */
const MIN_MILLISECONDS = 100;
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
  ...[
    'eval a;',
    'sh -c a;',
    'declare a=b ',
    'printf %n a ',
    'echo $((_));',
    '{ a;}\n',
    '(a);',
    'a>f;',
    '"$(a)";',
    'sed s/[/',
  ],
];
const PREFIXES: readonly string[] = ['', 'find '];

function repeat(prefix: string, piece: string, length: number): string {
  return (prefix + piece.repeat(Math.ceil(length / piece.length))).slice(0, length);
}

/** The processor time; of the faster of two runs when it is long, because other work on the machine must not make the test fail. */
function measure(text: string): number {
  const run = () => {
    const start = process.cpuUsage();
    parseShellCommand(text, '/bin/bash');
    return getMilliseconds(start);
  };
  const first = run();
  return first < MIN_MILLISECONDS ? first : Math.min(first, run());
}

function getMilliseconds(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

test.each(PIECES)('%j', { timeout: 60_000 }, (piece) => {
  for (const prefix of PREFIXES) {
    const whole = measure(repeat(prefix, piece, LENGTH));
    expect(whole, prefix).toBeLessThan(MAX_MILLISECONDS);
    if (whole > MIN_MILLISECONDS)
      expect(whole, prefix).toBeLessThan(measure(repeat(prefix, piece, LENGTH / 2)) * MAX_RATIO);
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
    const start = process.cpuUsage();
    const command = repeat('', piece, LENGTH);
    expect(['ask', 'allow']).toContain(await decide({ command, policy: 'never', deny: RULES }));
    expect(await decide({ command: `${command};rm x`, policy: 'never', deny: [...RULES, 'bash(rm *)'] })).not.toBe(
      'allow',
    );
    expect(getMilliseconds(start)).toBeLessThan(4 * MAX_MILLISECONDS);
  },
);
