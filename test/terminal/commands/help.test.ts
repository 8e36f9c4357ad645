// /help: the overview fits a small terminal, and details are given for one command.
import { expect, test } from 'vitest';
import { formatHelp } from '../../../src/terminal/commands/help.ts';
import { BUILTIN_COMMANDS } from '../../../src/terminal/commands/index.ts';

const others = Array.from({ length: 30 }, (_, at) => ({ name: `template-${at}`, source: 'prompt' }));

test('the overview with two more commands fits 24 rows of 80 columns', () => {
  const more = Array.from({ length: 2 }, (_, at) => ({
    name: `more${at}`,
    doc: 'word '.repeat(20),
    run: async () => {},
  }));
  const text = formatHelp('', [...BUILTIN_COMMANDS, ...more], others);
  const rows = text.split('\n').flatMap((row) => row.match(/.{1,79}/g) ?? ['']);
  // The message `› /help`, blank lines, the input and the status line also need rows.
  expect(rows.length).toBeLessThanOrEqual(20);
  for (const { name } of [...BUILTIN_COMMANDS, ...more]) expect(text).toContain(`/${name} `);
  expect(text).toMatch(/Also: \/template-0 .* … and \d+ more/);
});

test('a command, the keys, or everything', () => {
  expect(formatHelp('compact', BUILTIN_COMMANDS, others)).toBe(
    '/compact [FOCUS]\nReplace older messages by a summary; FOCUS says what it must retain',
  );
  expect(formatHelp('/template-3', BUILTIN_COMMANDS, others)).toBe('/template-3\nprompt');
  expect(formatHelp('keys', BUILTIN_COMMANDS, others)).toMatch(/^Enter .*\n/);
  const all = formatHelp('all', BUILTIN_COMMANDS, others);
  for (const { doc } of BUILTIN_COMMANDS) expect(all).toContain(doc);
  expect(all).toContain('/template-29');
});

test('an unknown command is an error with the nearest name', () => {
  expect(() => formatHelp('modle', BUILTIN_COMMANDS, [])).toThrow('Unknown command: /modle (did you mean /model?)');
});
