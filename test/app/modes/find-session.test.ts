import { expect, test } from 'vitest';
import { findSession } from '../../../src/app/modes/find-session.ts';
import { Fault } from '../../../src/base/index.ts';

const createStore = (outcome: string | Fault) => ({
  async locate() {
    if (typeof outcome === 'string') return outcome;
    throw outcome;
  },
});
const missing = new Fault('not_found', 'Session not found: ab');
const ambiguous = new Fault('invalid_params', '2 sessions begin with ab: ab1, ab2');

test('later directories are searched when earlier ones do not have the session', async () => {
  const second = createStore('/b/ab.jsonl');
  expect(await findSession([createStore(missing), second], 'ab')).toEqual({ store: second, path: '/b/ab.jsonl' });
});

test('an ambiguous id is reported, even if it is unique in a later directory', async () => {
  await expect(findSession([createStore(ambiguous), createStore('/b/ab.jsonl')], 'ab')).rejects.toBe(ambiguous);
  await expect(findSession([createStore(missing), createStore(ambiguous)], 'ab')).rejects.toBe(ambiguous);
});

test('a session that no directory has is reported with the problem of the first one', async () => {
  const refused = new Fault('refused', 'Not a session: ab is a directory');
  await expect(findSession([createStore(refused), createStore(missing)], 'ab')).rejects.toBe(refused);
});
