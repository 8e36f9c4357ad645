// Output on its way to listeners: in order and whole for those who keep up, its end for those who do not.
import { expect, test } from 'vitest';
import { deferred } from '../../../src/base/index.ts';
import { LiveOutput } from '../../../src/core/session/live-output.ts';

test('who keeps up is shown every piece at once', () => {
  const shown: string[] = [];
  const output = new LiveOutput((text) => void shown.push(text));
  output.add('a');
  output.add('b');
  expect(shown).toEqual(['a', 'b']);
});

test('what comes while a listener is busy is shown together, and never more of it than the bound', async () => {
  const gates = [deferred(), deferred()];
  const shown: string[] = [];
  const output = new LiveOutput((text) => gates[shown.push(text) - 1]?.promise);
  output.add('first');
  for (let i = 0; i < 100; i++) output.add(`${i}`.padStart(4096, '.'));
  expect(shown).toEqual(['first']);
  const all = output.shown();
  for (const gate of gates) gate.resolve();
  await all;
  expect(shown).toHaveLength(2);
  expect(shown[1]).toHaveLength(64 * 1024);
  expect(shown[1]?.endsWith('.99')).toBe(true);
});
