import { describe, expect, test } from 'vitest';
import { chooseSession, type TerminalPrompt } from '../../../src/app/modes/choose-session.ts';
import { Fault } from '../../../src/base/index.ts';
import type { SessionSummary } from '../../../src/contracts/index.ts';

const createSummary = (n: number, overrides: Partial<SessionSummary> = {}): SessionSummary => ({
  path: `/project/${n}.jsonl`,
  id: `${n}abcdef0-0000`,
  cwd: '/project',
  createdMs: 0,
  modifiedMs: 0,
  messages: n,
  cost: 0,
  bytes: 10,
  opening: `prompt ${n}`,
  interrupted: false,
  ...overrides,
});

function startChoice(
  lines: string[],
  sessions: SessionSummary[] = [createSummary(1, { name: 'the first' }), createSummary(2)],
) {
  const shown: string[] = [];
  const terminalPrompt: TerminalPrompt = { show: (text) => void shown.push(text), ask: async () => lines.shift() };
  const store = {
    list: async () => sessions,
    async locate(prefix: string) {
      const found = sessions.find(({ id }) => id.startsWith(prefix));
      if (!found) throw new Fault('not_found', `Session not found: ${prefix}`);
      return found.path;
    },
  };
  return { shown, chosen: chooseSession(store, terminalPrompt, 120_000), store };
}

describe('choosing a session', () => {
  test('lists the sessions, newest first, and accepts a row number', async () => {
    const { shown, chosen } = startChoice(['2']);
    expect(await chosen).toBe('/project/2.jsonl');
    expect(shown.join('')).toBe(
      '   id        used   messages  name\n1  1abcdef0  2 min  1         the first\n2  2abcdef0  2 min  2         prompt 2\n',
    );
  });

  test('an empty line selects the newest session; the beginning of an id is accepted', async () => {
    expect(await startChoice(['']).chosen).toBe('/project/1.jsonl');
    expect(await startChoice(['2abc']).chosen).toBe('/project/2.jsonl');
  });

  test('an unknown session is reported, and the question is repeated', async () => {
    const { shown, chosen } = startChoice(['7', 'x', '1']);
    expect(await chosen).toBe('/project/1.jsonl');
    expect(shown.slice(1)).toEqual(['Session not found: 7\n', 'Session not found: x\n']);
  });

  test('a list longer than the screen is cut, with the number of the other sessions', async () => {
    const { shown, chosen } = startChoice(
      ['21'],
      Array.from({ length: 25 }, (_, n) => createSummary(n + 1)),
    );
    expect(await chosen).toBe('/project/21.jsonl');
    expect(shown[0]).toMatch(/\n20 .*\n… and 5 older ones\n$/);
  });

  test('no terminal, no sessions and no answer are errors with a remedy', async () => {
    const { store } = startChoice(['1']);
    await expect(chooseSession(store, undefined, 0)).rejects.toThrow(/--continue .* or --session PATH\|ID/);
    await expect(startChoice(['1'], []).chosen).rejects.toThrow('There is no session to resume in this directory.');
    await expect(startChoice([]).chosen).rejects.toThrow('No session was chosen.');
  });
});
