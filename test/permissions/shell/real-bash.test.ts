// Compares the parser with a real bash: every program that bash calls is in the list of calls, or a problem is reported.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseShellCommand, type ShellWord } from '../../../src/permissions/shell/index.ts';
import { line, mutatedLine } from './command-grammar.ts';
import { runInBash } from './run-in-bash.ts';

/** `npm run soak:shell` runs more. */
const CASES = Number(process.env.SHELL_CASES ?? 400);
const BATCH = 200;
/** Fixed, so that a test run says the same each time. The soak run uses a new one each time unless `SHELL_SEED` is set. */
const SEED = readSeed();

function readSeed(): number {
  if (process.env.SHELL_SEED !== undefined) return Number(process.env.SHELL_SEED);
  return process.env.SHELL_CASES === undefined ? 20_261_116 : Date.now() % 2 ** 31;
}

/** Whether the words, some of them unknown, can become these values. */
function canBecome(words: readonly ShellWord[], values: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (!word) return values.length === 0;
  if (!word.canSplit)
    return values.length > 0 && (word.value ?? values[0]) === values[0] && canBecome(rest, values.slice(1));
  return Array.from({ length: values.length + 1 }, (_, taken) => taken).some((taken) =>
    canBecome(rest, values.slice(taken)),
  );
}

/** Returns how many of the command lines were understood. */
function compare(lines: readonly string[]): number {
  const executed = runInBash(lines);
  const understood = lines.filter((text, index) => {
    const { commands, problems } = parseShellCommand(text, '/bin/bash');
    if (problems.length > 0) return false;
    for (const values of executed[index] ?? []) {
      const isListed = commands.some(({ words }) => canBecome(words, values));
      if (!isListed)
        expect.fail(
          `seed ${SEED}: bash calls ${JSON.stringify(values)} for ${JSON.stringify(text)}; listed: ${JSON.stringify(commands.map(({ words }) => words.map((word) => word.value ?? null)))}`,
        );
    }
    return true;
  });
  return understood.length;
}

test('bash calls what a fixed list of command lines says', () => {
  expect(runInBash(['a \'b c\' "$x" $x', 'b; ab $(a 1)', 'a |', "a $'1\\n2'"])).toEqual([
    [['a', 'b c', 'p q', 'p', 'q']],
    [['b'], ['a', '1'], ['ab']],
    [],
    [['a', '1\n2']],
  ]);
});

test.each([
  ['generated', line, 0.25],
  ['changed', mutatedLine, 0.05],
] as const)('%s command lines', (_name, arbitrary, share) => {
  let understood = 0;
  fc.assert(
    fc.property(fc.array(arbitrary, { minLength: BATCH, maxLength: BATCH }), (lines) => {
      understood += compare(lines);
    }),
    { seed: SEED, numRuns: Math.ceil(CASES / 2 / BATCH), endOnFailure: true },
  );
  // A parser that understands nothing would pass.
  expect(understood).toBeGreaterThan((CASES / 2) * share);
});
