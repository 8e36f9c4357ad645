// Large content in the page: 20,000 messages, and an answer of 2 MB. Only visible rows are drawn.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { createDirectories } from '../support/program.ts';
import { browser, eventually } from './chromium.ts';
import { LONG_SESSION_ID, writeLongSession } from './long-session.ts';
import { openSession, readState, runPrompt, sendPrompt, startPageServer } from './page-fixture.ts';

const fixture = browser();

/** The rows at the top of the visible part, with their position. */
const readTop = (page: Page) =>
  page.locator('.session .scroller').evaluate((scroller) => {
    const { top } = scroller.getBoundingClientRect();
    const row = [...scroller.querySelectorAll<HTMLElement>('.row')].find(
      (one) => one.getBoundingClientRect().bottom > top,
    );
    return { key: row?.dataset.key, offset: Math.round((row?.getBoundingClientRect().top ?? 0) - top) };
  });

const scrollTo = (page: Page, share: number) =>
  page
    .locator('.session .scroller')
    .evaluate((element, part) => element.scrollTo(0, element.scrollHeight * part), share);

/** Resolves when nothing has moved for 20 animation frames. */
const WAIT_UNTIL_STILL = `new Promise((resolve) => {
  let last = '';
  let count = 0;
  const look = () => {
    const rows = [...document.querySelectorAll('.session .row')].map((row) => row.dataset.key + row.getBoundingClientRect().top);
    count = rows.join() === last ? count + 1 : 0;
    last = rows.join();
    if (count > 20) resolve();
    else requestAnimationFrame(look);
  };
  look();
})`;

describe('20,000 messages', () => {
  const start = async () => {
    const directories = createDirectories();
    writeLongSession(directories, 20_000);
    const hold = createDeferred();
    const script = { 'One more': [{ text: ['Line\n\n'.repeat(5), 'Line\n\n'.repeat(200)], until: hold.promise }] };
    const server = await startPageServer({ directories, script });
    return { hold, server, ...(await openSession(fixture, server, { sessionId: LONG_SESSION_ID })) };
  };

  test('the end is shown first, few rows are drawn, and every message can be reached', async () => {
    const { page } = await start();
    await page.getByText('Answer number 19999').waitFor();
    expect(await page.locator('.row').count()).toBeLessThan(60);
    await scrollTo(page, 0.5);
    await page.locator('.prompt-message').first().waitFor();
    await eventually(() => page.locator('.gap').count()).toBe(0);
    await page.locator('.session .scroller').focus();
    await page.keyboard.press('Home');
    await page.locator('.prompt-message', { hasText: 'Prompt number 0.' }).waitFor();
    await page.getByText('Answer number 1', { exact: true }).waitFor();
    expect(await page.locator('.row').count()).toBeLessThan(60);
    await page.keyboard.press('End');
    await page.getByText('Answer number 19999').waitFor();
    await page.keyboard.press('Home');
    await page.locator('.prompt-message', { hasText: 'Prompt number 0.' }).waitFor();
    await page.getByRole('button', { name: 'Latest' }).click();
    await page.getByText('Answer number 19999').waitFor();
  });

  test('the position stays while messages above and below are loaded and drawn', async () => {
    const { page, hold, server, sessionId } = await start();
    await page.getByText('Answer number 19999').waitFor();
    await scrollTo(page, 0.3);
    await eventually(() => page.locator('.gap').count()).toBe(0);
    await page.locator('.prompt-message').first().waitFor();
    await page.evaluate(WAIT_UNTIL_STILL);
    const before = await readTop(page);
    // A prompt that is sent in this page shows the end.
    await server.call(sessionId, 'prompt', { message: 'One more' });
    await eventually(() => readState(page)).toMatch(/^running/);
    hold.resolve();
    await eventually(() => readState(page)).toBe('idle');
    expect(await readTop(page)).toEqual(before);
  });

  test('the end stays visible while an answer grows, until the user scrolls up', async () => {
    const { page, hold } = await start();
    await sendPrompt(page, 'One more');
    await page.locator('.kind-text', { hasText: 'Line' }).first().waitFor();
    const distance = () =>
      page.locator('.session .scroller').evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight);
    hold.resolve();
    await eventually(() => readState(page)).toBe('idle');
    await eventually(distance).toBeLessThan(2);
    await page.locator('.session .scroller').hover();
    await page.mouse.wheel(0, -800);
    await eventually(distance).toBeGreaterThan(500);
    await page.getByRole('button', { name: 'Latest' }).waitFor();
  });
});

describe('an answer of 2 MB', () => {
  const parts = Array.from(
    { length: 10_000 },
    (_, at) => `## Section ${at}\n\nSome **bold** words of section ${at}, and ${'more words '.repeat(14)}\n\n`,
  );

  test('is streamed completely, and only its end is drawn', async () => {
    const server = await startPageServer({ script: { Large: [{ text: parts }] } });
    const { page } = await openSession(fixture, server);
    expect(parts.join('').length).toBeGreaterThan(2_000_000);
    await sendPrompt(page, 'Large');
    await page.getByRole('heading', { name: 'Section 9999' }).waitFor();
    await eventually(() => readState(page)).toBe('idle');
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(3000);
    await page.locator('.session .scroller').focus();
    await page.keyboard.press('Home');
    await page.getByRole('heading', { name: 'Section 0', exact: true }).waitFor();
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(3000);
  });

  test('is shown when the page is loaded again', async () => {
    const server = await startPageServer({ script: { Large: [{ text: parts }] } });
    const { page } = await openSession(fixture, server);
    await sendPrompt(page, 'Large');
    await page.getByRole('heading', { name: 'Section 9999' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Section 9999' }).waitFor();
    await runPrompt(page, 'Small');
  });
});
