// Compares the tokenizer with parseArgs of Node.
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tokenizeArguments } from '../../src/cli/tokenize-arguments.ts';

const FLAGS = {
  mode: { takesValue: true },
  model: { takesValue: true, short: 'm' },
  print: { takesValue: false, short: 'p' },
  'no-session': { takesValue: false },
};
const OPTIONS = {
  mode: { type: 'string' },
  model: { type: 'string', short: 'm' },
  print: { type: 'boolean', short: 'p' },
  'no-session': { type: 'boolean' },
} as const;

function tokenizeWithNode(args: string[]): unknown[] {
  const { tokens } = parseArgs({ args, options: OPTIONS, strict: false, tokens: true });
  return tokens.map((token) => {
    if (token.kind !== 'option') return token;
    const { rawName, ...rest } = token;
    return rest;
  });
}

test('flags, values, groups and positionals are split like in Node', () => {
  const piece = fc.constantFrom(
    '-',
    '--',
    '=',
    'm',
    'p',
    'x',
    'mode',
    'model',
    'print',
    'no-session',
    'a b',
    'é',
    '😀',
  );
  // Node treats a dash within a group of letters like `--`. The tokenizer does not follow that.
  const hasDashInGroup = (word: string) => /^-[^-].*-/.test(word);
  const word = fc.oneof(
    fc
      .array(piece, { maxLength: 4 })
      .map((pieces) => pieces.join(''))
      .filter((text) => !hasDashInGroup(text)),
    fc.constantFrom(
      '--mode',
      '--mode=rpc',
      '-m',
      '-p',
      '-pm',
      '-mp',
      '-pmx',
      '-xp',
      '--print',
      '--print=1',
      '--',
      '-',
      '',
    ),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      expect(tokenizeArguments(argv, FLAGS)).toEqual(tokenizeWithNode(argv));
    }),
    { numRuns: 2000 },
  );
});
