import { describe, expect, test } from 'vitest';
import { chooseSession, type Person } from '../../../src/app/modes/choose-session.ts';
import { Fault } from '../../../src/base/index.ts';
import type { SessionSummary } from '../../../src/contracts/index.ts';

const session = (n: number, more: Partial<SessionSummary> = {}): SessionSummary => ({
  path: `/project/${n}.jsonl`,
  id: `${n}abcdef0-0000`,
  cwd: '/project',
  createdMs: 0,
  modifiedMs: 0,
  messages: n,
  cost: 0,
  bytes: 10,
  opening: `prompt ${n}`,
  ...more,
});

function stage(lines: string[], sessions: SessionSummary[] = [session(1, { name: 'the first' }), session(2)]) {
  const shown: string[] = [];
  const person: Person = { show: (text) => void shown.push(text), ask: async () => lines.shift() };
  const store = {
    list: async () => sessions,
    async locate(wanted: string) {
      const found = sessions.find(({ id }) => id.startsWith(wanted));
      if (!found) throw new Fault('not_found', `Session not found: ${wanted}`);
      return found.path;
    },
  };
  return { shown, chosen: chooseSession(store, person, 120_000), store };
}

describe('choosing a session', () => {
  test('shows what there is, newest first, and takes its number', async () => {
    const { shown, chosen } = stage(['2']);
    expect(await chosen).toBe('/project/2.jsonl');
    expect(shown.join('')).toBe(
      '   id        used   messages  name\n1  1abcdef0  2 min  1         the first\n2  2abcdef0  2 min  2         prompt 2\n',
    );
  });

  test('nothing typed means the newest; the beginning of an id will do', async () => {
    expect(await stage(['']).chosen).toBe('/project/1.jsonl');
    expect(await stage(['2abc']).chosen).toBe('/project/2.jsonl');
  });

  test('what leads nowhere is said, and asked again', async () => {
    const { shown, chosen } = stage(['7', 'x', '1']);
    expect(await chosen).toBe('/project/1.jsonl');
    expect(shown.slice(1)).toEqual(['Session not found: 7\n', 'Session not found: x\n']);
  });

  test('a list longer than a screen is cut, and says so', async () => {
    const { shown, chosen } = stage(
      ['21'],
      Array.from({ length: 25 }, (_, n) => session(n + 1)),
    );
    expect(await chosen).toBe('/project/21.jsonl');
    expect(shown[0]).toMatch(/\n20 .*\n… and 5 older ones\n$/);
  });

  test('nobody to ask, nothing to choose and nothing chosen are faults that say what to do', async () => {
    const { store } = stage(['1']);
    await expect(chooseSession(store, undefined, 0)).rejects.toThrow(/--continue .* or --session PATH\|ID/);
    await expect(stage(['1'], []).chosen).rejects.toThrow('There is no session of this directory to go on with.');
    await expect(stage([]).chosen).rejects.toThrow('No session was chosen.');
  });
});
