// The chart: tokens and cost of every turn, summed into bars, with compactions.
import { expect, test } from 'vitest';
import { collectUsageBars, sumBar } from '../../../src/core/export/usage-bars.ts';
import { answer, type Raw, renderPlain, toSession, toText, toTranscript, user } from './export-session.ts';

const turn = (input: number, cost: number): Raw =>
  answer([{ type: 'text', text: 'x' }], {
    usage: { input, output: 2, cacheRead: 3, cacheWrite: 1, cost: { total: cost } },
  });
const compaction: Raw = { type: 'compaction', summary: 's', firstKeptEntryId: 'e0', tokensBefore: 1 };
const collect = (bodies: readonly Raw[]) => collectUsageBars(toTranscript(bodies).messages);

test('one bar for each turn, with the cost so far', () => {
  const bars = collect([user('a'), turn(10, 0.5), compaction, turn(20, 0.25), answer([])]);
  expect(bars).toMatchObject([
    { firstTurn: 1, position: 1, input: 10, cacheRead: 3, totalCost: 0.5, isAfterCompaction: false },
    { firstTurn: 2, position: 3, input: 20, cost: 0.25, totalCost: 0.75, isAfterCompaction: true },
  ]);
});

test('turns share bars in a long session, and nothing is lost', () => {
  const bars = collect(Array.from({ length: 1000 }, () => turn(10, 0.001)));
  expect(bars.length).toBeLessThanOrEqual(96);
  expect(bars.reduce((sum, bar) => sum + sumBar(bar), 0)).toBe(16_000);
  expect(bars.at(-1)).toMatchObject({ lastTurn: 1000, totalCost: expect.closeTo(1) });
});

test('the page has the chart, its titles and its table', async () => {
  const page = await renderPlain(toSession([user('a'), turn(1200, 0.5), compaction, turn(20, 0.25)]));
  expect(page).toContain('aria-label="2 turns, 1,232 tokens, $0.7500"');
  expect(page).toContain(
    '<title>Turn 2 · 3 from cache · 1 to cache · 20 input · 2 output · $0.2500, $0.7500 so far</title>',
  );
  expect(toText(page)).toContain('Turn 2 (after a compaction) 3 1 20 2 $0.2500 $0.7500');
  expect(page).toContain('<a href="#e-e3">Turn 2');
  expect(page.match(/<title>Compaction<\/title>/g)).toHaveLength(1);
});

test('a session without usage has no chart, and numbers that are not finite do not break it', async () => {
  expect(await renderPlain(toSession([user('a'), answer([])]))).not.toContain('class="chart"');
  const page = await renderPlain(toSession([turn(Number.MAX_VALUE, 1e300), turn(-5, -1)]));
  expect(page.slice(page.indexOf('<main>'), page.indexOf('</main>'))).not.toMatch(/NaN|Infinity|undefined/);
});
