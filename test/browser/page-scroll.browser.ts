// The scroll position of the conversation when the user expands a part or sends a prompt.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browser, eventually } from './chromium.ts';
import { openSession, runPrompt, sendPrompt, startPageServer } from './page-fixture.ts';

const fixture = browser();

const LINES = Array.from({ length: 80 }, (_, at) => `Thought ${at}`).join('\n');
const script = {
  Think: [{ thinking: LINES, text: 'An answer.' }],
  List: [{ calls: [{ name: 'bash', arguments: { command: 'seq 1 200' } }] }, { text: 'Listed.' }],
};
const latest = (page: Page) => page.getByRole('button', { name: 'Latest' });
/** The distance of an element from the top of the window, when the page was drawn. */
const findTop = (page: Page, selector: string) =>
  page
    .locator(selector)
    .last()
    .evaluate(
      (element) =>
        new Promise<number>((resolve) =>
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(element.getBoundingClientRect().top))),
        ),
    );

describe('a part that is expanded', () => {
  test('stays where it is, at the end of the conversation too', async () => {
    const server = await startPageServer({ script });
    const { page } = await openSession(fixture, server);
    for (let at = 0; at < 8; at++) await runPrompt(page, `Think ${at}`);
    const head = '.disclosure-head';
    const before = await findTop(page, head);
    await page.locator(head).last().click();
    await page.locator('.disclosure-body').waitFor();
    expect(Math.abs((await findTop(page, head)) - before)).toBeLessThan(3);
    await latest(page).waitFor();
    // Collapsed, the end is shown again and followed.
    await page.locator(head).last().click();
    await eventually(() => latest(page).count()).toBe(0);
    await runPrompt(page, 'And now');
    await eventually(() => latest(page).count()).toBe(0);
  });

  test('stays under the pointer when its end is used to collapse it', async () => {
    const server = await startPageServer({ script });
    const { page } = await openSession(fixture, server);
    for (let at = 0; at < 12; at++) await runPrompt(page, at === 6 ? 'List' : `Think ${at}`);
    const button = '.output .text-button';
    await page.locator(button).scrollIntoViewIfNeeded();
    await page.locator(button).click();
    await page.locator(button, { hasText: 'Show less' }).scrollIntoViewIfNeeded();
    const before = await findTop(page, button);
    await page.locator(button).click();
    await page.locator(button, { hasText: 'Show all' }).waitFor();
    expect(Math.abs((await findTop(page, button)) - before)).toBeLessThan(3);
  });
});

test('a prompt that is sent is shown, even if the user had scrolled up', async () => {
  const server = await startPageServer({ script });
  const { page } = await openSession(fixture, server);
  for (let at = 0; at < 8; at++) await runPrompt(page, `Think ${at}`);
  await page.locator('.session .scroller').press('Home');
  await latest(page).waitFor();
  await sendPrompt(page, 'Where am I?');
  await page.locator('.kind-text', { hasText: 'Answer to: Where am I?' }).waitFor();
  await eventually(() => latest(page).count()).toBe(0);
});
