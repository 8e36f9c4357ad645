// LiveOutput: complete output for a fast listener, only the end of the output for a slow one.
import { expect, test } from 'vitest';
import { createDeferred } from '../../../src/base/index.ts';
import { LiveOutput } from '../../../src/core/session/live-output.ts';

test('a fast listener gets every chunk immediately', () => {
  const shown: string[] = [];
  const output = new LiveOutput((text) => void shown.push(text));
  output.add('a');
  output.add('b');
  expect(shown).toEqual(['a', 'b']);
});

test('output for a busy listener is joined and truncated to 64 KiB', async () => {
  const deliveries = [createDeferred(), createDeferred()];
  const shown: string[] = [];
  const output = new LiveOutput((text) => deliveries[shown.push(text) - 1]?.promise);
  output.add('first');
  for (let i = 0; i < 100; i++) output.add(`${i}`.padStart(4096, '.'));
  expect(shown).toEqual(['first']);
  const allShown = output.waitUntilShown();
  for (const delivery of deliveries) delivery.resolve();
  await allShown;
  expect(shown).toHaveLength(2);
  expect(shown[1]).toHaveLength(64 * 1024);
  expect(shown[1]?.endsWith('.99')).toBe(true);
});
