// The pages of session/list: every session once, newest first.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSessionPage, type StoredSession } from '../../../src/dialects/acp/session-page.ts';

function createSession(index: number, modifiedMs: number): StoredSession {
  return { id: `s${index}`, cwd: '/w', firstPrompt: `prompt ${index}`, modifiedMs };
}

function readAll(sessions: readonly StoredSession[]): string[] {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = createSessionPage(sessions, cursor);
    ids.push(...page.sessions.map(({ sessionId }) => sessionId));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

test('the pages contain every session once, also when many were changed in the same millisecond', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { maxLength: 350 }), (times) => {
      const sessions = times.map((ms, index) => createSession(index, ms)).sort((a, b) => b.modifiedMs - a.modifiedMs);
      expect(readAll(sessions)).toEqual(sessions.map(({ id }) => id));
    }),
    { numRuns: 50 },
  );
});

test('when the last session of a page is changed or deleted, the next page continues with older ones', () => {
  const sessions = Array.from({ length: 150 }, (_, index) => createSession(index, 1000 - index));
  const { nextCursor } = createSessionPage(sessions, undefined);
  const changed = sessions.filter(({ id }) => id !== 's99');
  const page = createSessionPage(changed, nextCursor ?? undefined);
  expect(page.sessions[0]?.sessionId).toBe('s100');
  expect(page.sessions).toHaveLength(50);
});

test('the title is the name, else one line of the first prompt, else null', () => {
  const base = createSession(1, 0);
  const title = (session: StoredSession) => createSessionPage([session], undefined).sessions[0]?.title;
  expect(title({ ...base, name: 'Named' })).toBe('Named');
  expect(title({ ...base, firstPrompt: ' a\n  b ' })).toBe('a b');
  expect(title({ ...base, firstPrompt: '' })).toBe(null);
  expect(title({ ...base, firstPrompt: 'x'.repeat(500) })).toHaveLength(200);
});

test('a cursor of another form is refused', () => {
  expect(() => createSessionPage([], 'page2')).toThrow('Invalid params: cursor must come from nextCursor (got page2)');
});
