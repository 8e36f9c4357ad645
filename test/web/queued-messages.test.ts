// The queued messages that the page shows before the ids of all are loaded.
import { expect, test } from 'vitest';
import { listQueuedMessages, sortQueue } from '../../web/src/panels/queued-messages.ts';

const known = [
  { id: 'a', kind: 'steer', text: 'first', images: 1 },
  { id: 'b', kind: 'followUp', text: 'same', images: 0 },
  { id: 'c', kind: 'followUp', text: 'same', images: 0 },
] as const;
const listIds = (steering: string[], followUp: string[]) =>
  listQueuedMessages({ steering, followUp }, known).map(({ id }) => id);

test('known messages keep their ids when others are added or taken, also with equal texts', () => {
  expect(listIds(['first', 'new'], ['same', 'same'])).toEqual(['a', 'steer.1', 'b', 'c']);
  expect(listIds([], ['same', 'new', 'same'])).toEqual(['b', 'followUp.1', 'c']);
  expect(listIds(['same'], ['first'])).toEqual(['steer.0', 'followUp.0']);
});

test('without known messages all ids differ', () => {
  const messages = listQueuedMessages({ steering: ['x', 'x'], followUp: ['x'] }, []);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(3);
  expect(messages[2]).toEqual({ id: 'followUp.0', kind: 'followUp', text: 'x', images: 0 });
});

test('steering messages come first, as they are delivered and as they are shown before the ids are known', () => {
  const [steer, first, second] = known;
  expect(sortQueue([first, second, steer])).toEqual([steer, first, second]);
});
