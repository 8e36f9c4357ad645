// Command lines that hide a program: the parser lists the hidden call, its program text, or reports a problem.
import { describe, expect, test } from 'vitest';
import { parseShellCommand, type SimpleCommand } from '../../../src/permissions/shell/index.ts';
import { ATTACK_COMMANDS } from '../attack-commands.ts';

/** Whether the call starts `denied`, or could: unknown arguments of git can be the sub-command. */
function isHidden({ words, code }: SimpleCommand, denied: string): boolean {
  const [program, subcommand] = denied.split(' ');
  // A shell that gets the text removes quotes.
  if (code?.includes(denied) || code?.replaceAll(/["'\\]/g, '').includes(denied)) return true;
  const [name, ...args] = words;
  if (name?.value?.split('/').at(-1)?.toLowerCase() !== program) return false;
  return subcommand === undefined || args.some(({ value }) => value === subcommand);
}

test('there are enough of them, each once', () => {
  expect(ATTACK_COMMANDS.length).toBeGreaterThan(200);
  expect(new Set(ATTACK_COMMANDS.map(({ command }) => command)).size).toBe(ATTACK_COMMANDS.length);
});

describe('hidden calls', () => {
  test.each(ATTACK_COMMANDS.map((attack) => ({ ...attack, shown: JSON.stringify(attack.command).slice(0, 90) })))(
    '$shown',
    ({ command, denied }) => {
      const { commands, problems } = parseShellCommand(command, '/bin/bash');
      expect(problems.length > 0 || commands.some((call) => isHidden(call, denied))).toBe(true);
    },
  );
});
