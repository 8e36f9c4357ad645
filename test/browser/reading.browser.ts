// Checks the features of an exported page: content, search, folding, branches, themes, printing, and long sessions.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderSession } from '../../src/core/index.ts';
import { createDirectories, runProgram } from '../support/program.ts';
import { renderInTestThread } from '../support/render-markup.ts';
import { browser, eventually } from './chromium.ts';
import { hostileSession } from './hostile-session.ts';
import { FIND_LOW_CONTRAST } from './low-contrast.ts';
import { longSession, showcase } from './showcase.ts';

const { open } = browser();
const NOTHING = { dialogs: [], requests: [], violations: [], hits: [], errors: [] };
const openShowcase = async () => open(await renderSession(showcase(), renderInTestThread));

test('the page shows text, code, tables, diffs, images and costs', async () => {
  const { page, trespasses } = await openShowcase();
  expect(await page.title()).toBe('Fix the port of the server');
  await eventually(() => page.locator('main h1').first().textContent()).toBe('Fix the port of the server');
  await eventually(() => page.locator('.prose table td').count()).toBe(9);
  await eventually(() => page.locator('.prose ol li').count()).toBe(3);
  await eventually(() => page.locator('.hljs-keyword').count()).toBeGreaterThan(3);
  await eventually(() => page.locator('.diff .added').count()).toBe(1);
  await eventually(() => page.evaluate('document.querySelector("img.picture").naturalWidth')).toBe(8);
  await eventually(() => page.locator('.card.error .status').textContent()).toBe('error');
  await eventually(() => page.locator('article .card').count()).toBe(4);
  await eventually(() => page.locator('.problem').textContent()).toBe('529 overloaded: try again later');
  await eventually(() => page.locator('.facts').textContent()).toMatch(/17 messages.*12,810 tokens in.*\$0\.08/);
  await eventually(() => page.locator('main mark').textContent()).toBe('the answer');
  expect(await trespasses()).toEqual(NOTHING);
});

test('thinking, long output and arguments are folded, and can be opened one by one or all at once', async () => {
  const { page } = await openShowcase();
  await eventually(() => page.locator('main details[open]').count()).toBe(0);
  const thought = page.locator('details', { hasText: 'Where is the config read?' }).first();
  await eventually(() => thought.locator('.thought').isVisible()).toBe(false);
  await thought.locator('summary').click();
  await eventually(() => thought.locator('.thought').isVisible()).toBe(true);
  await page.click('#folds');
  await eventually(() => page.locator('main details:not([open])').count()).toBe(0);
  await page.click('#folds');
  await eventually(() => page.locator('main details[open]').count()).toBe(0);
});

test('search finds and highlights text, also in folded parts, and restores the page afterwards', async () => {
  const { page } = await openShowcase();
  const visible = () => page.locator('article:visible').count();
  const all = await visible();
  await page.keyboard.press('/');
  await page.keyboard.type('part-39.ts');
  await eventually(() => page.locator('#count').textContent()).toBe('1 found');
  await eventually(visible).toBe(1);
  await eventually(() => page.locator('article:visible details[open]').count()).toBe(1);
  await eventually(() => page.evaluate('CSS.highlights.get("found").size')).toBe(1);
  await page.keyboard.press('Escape');
  await eventually(visible).toBe(all);
  await eventually(() => page.locator('main details[open]').count()).toBe(0);
  await page.fill('#search', 'nothing says this');
  await eventually(() => page.locator('#count').textContent()).toBe('0 found');
});

test('a branch can be selected in the menu or through the outline', async () => {
  const { page, url } = await openShowcase();
  const other = page.locator('article', { hasText: 'Here is the log of the other branch.' });
  const picture = page.locator('article', { hasText: 'What does this picture' }).first();
  const visibility = async () => [await other.isVisible(), await picture.isVisible()];
  await eventually(visibility).toEqual([false, true]);
  await page.selectOption('#branch', { index: 1 });
  await eventually(visibility).toEqual([true, false]);
  await page.click('nav a:has-text("What does this picture")');
  // The hashchange event arrives after the click has returned.
  await eventually(visibility).toEqual([false, true]);
  await page.goto(`${url}#e-b0`);
  await page.reload();
  await eventually(() => other.isVisible()).toBe(true);
});

test.each(['light', 'dark'] as const)(
  '%s theme: follows the system, can be switched, and has enough contrast',
  async (scheme) => {
    const { page } = await open(await renderSession(showcase(), renderInTestThread), { colorScheme: scheme });
    await page.click('#folds');
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const first = await background();
    expect(await page.evaluate<string[]>(FIND_LOW_CONTRAST)).toEqual([]);
    await page.click('#theme');
    await eventually(background).not.toBe(first);
    expect(await page.evaluate<string[]>(FIND_LOW_CONTRAST)).toEqual([]);
    await page.click('#theme');
    await eventually(background).toBe(first);
  },
);

test('the print version is unfolded, light and without controls; afterwards the page is restored', async () => {
  const { page } = await open(await renderSession(showcase(), renderInTestThread), { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.evaluate('dispatchEvent(new Event("beforeprint"))');
  await eventually(() => page.locator('nav').isVisible()).toBe(false);
  await eventually(() => page.locator('main details:not([open])').count()).toBe(0);
  await eventually(() => page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
  expect((await page.pdf()).length).toBeGreaterThan(20_000);
  await page.evaluate('dispatchEvent(new Event("afterprint"))');
  await eventually(() => page.locator('main details[open]').count()).toBe(0);
});

test.each([1280, 700, 360])('nothing overflows at a width of %i', async (width) => {
  const { page } = await open(await renderSession(showcase(), renderInTestThread), {
    viewport: { width, height: 800 },
  });
  await page.click('#folds');
  await eventually(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
});

test('a page with 5,000 messages is usable', async () => {
  const { page } = await open(await renderSession(longSession(5000), renderInTestThread));
  const count = () => page.locator('#count').textContent();
  await page.fill('#search', 'answer 4999.');
  await eventually(count).toBe('1 found');
  await page.fill('#search', '');
  await eventually(count).toBe('');
  await page.click('.outline li:last-child a');
  await eventually(() => page.locator('#e-m4998').isVisible()).toBe(true);
});

test('a row of the branch tree leads to its entry, also with the keyboard', async () => {
  const { page, trespasses } = await openShowcase();
  const rows = page.locator('svg.tree a');
  await eventually(() => rows.count()).toBe(6);
  await eventually(() => page.locator('svg.tree .here').count()).toBe(1);
  const other = page.locator('article', { hasText: 'Here is the log of the other branch.' });
  await eventually(() => other.isVisible()).toBe(false);
  await page.locator('svg.tree a', { hasText: 'Instead, show me a log' }).focus();
  await page.keyboard.press('Enter');
  await eventually(() => other.isVisible()).toBe(true);
  await page.locator('svg.tree a', { hasText: 'What does this picture' }).click();
  await eventually(() => other.isVisible()).toBe(false);
  expect(await trespasses()).toEqual(NOTHING);
});

test('the chart has a bar for each turn, a compaction, a line for the cost and a table', async () => {
  const { page } = await openShowcase();
  await eventually(() => page.locator('svg.chart .bar').count()).toBe(7);
  await eventually(() => page.locator('svg.chart line.compaction').count()).toBe(1);
  await eventually(() => page.locator('svg.chart polyline.cost').count()).toBe(1);
  await page.locator('summary', { hasText: 'as a table' }).click();
  await eventually(() => page.locator('.numbers tbody tr').count()).toBe(7);
});

test('a search hides the overview, and finds text in the transcript of a subagent', async () => {
  const session = hostileSession(['needle-in-a-subagent']);
  const { page } = await open(await renderSession({ ...session, name: 'x' }, renderInTestThread));
  await page.selectOption('#branch', { index: 0 });
  await page.fill('#search', 'needle-in-a-subagent');
  await eventually(() => page.locator('#overview').isVisible()).toBe(false);
  await eventually(() => page.locator('.transcript section:visible').count()).toBeGreaterThan(0);
});

test('parley export writes this page', async () => {
  const directories = createDirectories();
  const { header, entries } = showcase();
  mkdirSync(join(directories.home, 'here'));
  const session = join(directories.home, 'here', 'session.jsonl');
  writeFileSync(session, [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { code, stdout, stderr } = await runProgram(['export', session, 'page.html'], '', { directories });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${join(directories.cwd, 'page.html')}\n`, stderr: '' });
  const { page, trespasses } = await open(readFileSync(join(directories.cwd, 'page.html'), 'utf8'));
  // The three tool results are in the cards of their calls.
  await eventually(() => page.locator('article').count()).toBe(14);
  await eventually(() => page.locator('article .card .outcome').count()).toBe(3);
  expect(await trespasses()).toEqual(NOTHING);
});
