// Command lines that hide a program: a rule that denies it, or that allows other programs, never lets them run without a question.
import { expect, test } from 'vitest';
import { ATTACK_COMMANDS } from './attack-commands.ts';
import { decide } from './decide.ts';

test.each(ATTACK_COMMANDS.map(({ command, denied }) => [command, denied] as const))(
  '%j hides %s',
  async (command, denied) => {
    expect(await decide({ command, policy: 'never', deny: [`bash(${denied} *)`] })).not.toBe('allow');
    expect(await decide({ command, policy: 'never', ask: [`bash(${denied})`] })).toBe('ask');
    const allow = ['echo', 'ls', 'cat', 'find', 'git status'].map((words) => `bash(${words} *)`);
    expect(await decide({ command, policy: 'on-execute', allow })).toBe('ask');
    expect(await decide({ command, policy: 'read-only' })).toBe('deny');
  },
);
