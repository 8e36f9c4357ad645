// The page with a screen reader, without a mouse, with reduced motion, and enlarged to 200 %.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { findNameless } from './accessibility-tree.ts';
import { browser, eventually } from './chromium.ts';
import { openSession, readState, runPrompt, sendPrompt, startPageServer } from './page-fixture.ts';

const fixture = browser();
const ask = { calls: [{ name: 'bash', arguments: { command: 'rm -r x' } }] };
const describeFocus = (page: Page) =>
  page.evaluate<string>('document.activeElement.id || document.activeElement.ariaLabel');

describe('names', () => {
  test('every control, image and landmark has one: login, list, dialogs, queue, pickers', async () => {
    const hold = createDeferred();
    const edit = { path: 'a.txt', oldText: 'one', newText: 'two' };
    const script = {
      Show: [{ thinking: 'Hm.', text: '- [x] done\n\n```ts\nlet x;\n```', calls: [{ name: 'edit', arguments: edit }] }],
      Wait: [{ text: ['Waiting', '.'], until: hold.promise, ...ask }],
    };
    const server = await startPageServer({ script, files: { 'a.txt': 'one\n' }, userFiles: { 'prompts/go.md': 'Go' } });
    const { page } = await fixture.openUrl(server.url);
    await page.getByLabel('Token').waitFor();
    expect(await findNameless(page)).toEqual([]);
    await page.goto(`${server.url}?token=${server.token}&session=${await server.createSession()}`);
    await eventually(() => readState(page)).toBe('idle');
    await runPrompt(page, 'Show');
    expect(await findNameless(page)).toEqual([]);
    for (const open of [
      () => page.getByRole('button', { name: 'New session' }).first().click(),
      () => page.getByRole('button', { name: /^Shortcuts/ }).click(),
      () => page.getByRole('button', { name: 'Actions of the session' }).click(),
      () => page.getByRole('button', { name: /^Model/ }).click(),
      () => page.locator('#prompt').pressSequentially('/'),
    ]) {
      await open();
      expect(await findNameless(page)).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await page.getByLabel('Permission mode').selectOption('always');
    await sendPrompt(page, 'Wait');
    await page.getByText('Waiting').waitFor();
    await sendPrompt(page, 'later', 'Alt+Enter');
    await page.locator('.queue').getByRole('button', { name: 'Edit' }).click();
    expect(await findNameless(page)).toEqual([]);
    hold.resolve();
    await page.locator('.dialog.approval').waitFor();
    expect(await findNameless(page)).toEqual([]);
    const docs = await page.context().newPage();
    await docs.goto(`${server.url}docs`);
    await docs.locator('.operation-head').first().click();
    expect(await findNameless(docs)).toEqual([]);
    server.program.kill('SIGKILL');
    await page.locator('.connection-bar').waitFor();
    expect(await findNameless(page)).toEqual([]);
  });
});

/** Collects what the live regions of the page contain, each time that it changes. Runs in the page. */
const WATCH_LIVE_REGIONS = `(() => {
  window.announced = [];
  const read = () => {
    for (const region of document.querySelectorAll('[aria-live=polite], [aria-live=assertive], [role=status], [role=alert]')) {
      const text = region.textContent.trim();
      if (text !== '' && region.dataset.seen !== text) window.announced.push(text);
      region.dataset.seen = text;
    }
  };
  read();
  window.announced.length = 0;
  new MutationObserver(read).observe(document.body, { childList: true, subtree: true, characterData: true });
})()`;

test('a live region announces the whole answer once, not its deltas, and every question', async () => {
  const hold = createDeferred();
  const words = Array.from({ length: 300 }, (_, at) => `word${at} `);
  const script = { Long: [{ text: words, until: hold.promise }], Ask: [ask], 'Ask again': [ask] };
  const server = await startPageServer({ script });
  const { page } = await openSession(fixture, server);
  await page.evaluate(WATCH_LIVE_REGIONS);
  const announced = () => page.evaluate<string[]>('window.announced');
  await sendPrompt(page, 'Long');
  await page.getByText('word0').waitFor();
  hold.resolve();
  await eventually(announced).toEqual([expect.stringMatching(/^Answer: word0 word1 /)]);
  await page.getByLabel('Permission mode').selectOption('always');
  await sendPrompt(page, 'Ask');
  await eventually(async () => (await announced()).slice(1)).toEqual(['Question: Allow bash?']);
  await page.getByRole('button', { name: 'Reject', exact: true }).click();
  await eventually(async () => (await announced()).slice(2)).toEqual(['Answer: Done.']);
  // The same question is announced again.
  await sendPrompt(page, 'Ask again');
  await eventually(async () => (await announced()).slice(3)).toEqual(['Question: Allow bash?']);
});

test('the connection bar announces a loss once, not its seconds', async () => {
  const server = await startPageServer();
  const { page } = await openSession(fixture, server);
  await page.evaluate(WATCH_LIVE_REGIONS);
  server.program.kill('SIGKILL');
  await eventually(() => page.locator('.connection-bar').textContent()).toMatch(/Retry in [3-9] s/);
  const announced = await page.evaluate<string[]>('window.announced');
  expect(announced.filter((text) => text.startsWith('Connection'))).toEqual(['Connection lost.']);
  expect(announced.filter((text) => /\d/.test(text))).toEqual([]);
});

test('a frame is chosen with the arrow keys', async () => {
  const server = await startPageServer();
  const { page } = await openSession(fixture, server);
  await runPrompt(page, 'Hello');
  await page.getByRole('button', { name: /^Frames/ }).click();
  await page.locator('.frame-list .scroller').focus();
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowDown', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
  const rows = page.locator('.frame-row');
  await eventually(() => rows.nth(-2).getAttribute('aria-pressed')).toBe('true');
  await page.getByRole('region', { name: 'Selected frame' }).waitFor();
});

describe('the focus', () => {
  test('returns after dialogs, menus, pickers and panels', async () => {
    const server = await startPageServer();
    const { page } = await openSession(fixture, server);
    await page.getByRole('button', { name: 'New session' }).first().press('Enter');
    await page.getByLabel('Directory').waitFor();
    await page.keyboard.press('Escape');
    await eventually(() => describeFocus(page)).toBe('New session');
    await page.getByRole('button', { name: 'Actions of the session' }).press('Enter');
    await page.getByRole('menuitem').first().waitFor();
    await page.keyboard.press('Escape');
    await eventually(() => describeFocus(page)).toBe('Actions of the session');
    await page.getByRole('button', { name: /^Model/ }).press('Enter');
    await page.getByLabel('Search models').waitFor();
    await page.keyboard.press('Escape');
    await eventually(() => describeFocus(page)).toMatch(/^Model/);
    for (const close of ['Enter', 'Escape']) {
      await page.getByRole('button', { name: /^Usage/ }).press('Enter');
      await page.getByRole('button', { name: 'Close the panel' }).focus();
      await page.keyboard.press(close);
      await eventually(() => describeFocus(page)).toBe('panel-button-usage');
    }
  });

  test('goes to the prompt after an answer that was given with the keyboard', async () => {
    const server = await startPageServer({ script: { Ask: [ask] } });
    const { page } = await openSession(fixture, server);
    await page.getByLabel('Permission mode').selectOption('always');
    await sendPrompt(page, 'Ask');
    await page.getByRole('button', { name: 'Reject', exact: true }).press('Enter');
    await eventually(() => describeFocus(page)).toBe('prompt');
  });

  test('is never trapped: Tab and Shift+Tab visit all controls', async () => {
    const server = await startPageServer();
    const { page } = await openSession(fixture, server);
    await runPrompt(page, 'Hello');
    await page.getByRole('button', { name: /^Frames/ }).click();
    await page.locator('.frame-row').first().click();
    const count = await page.evaluate<number>(COUNT_CONTROLS);
    await page.getByRole('button', { name: 'Skip to the prompt' }).focus();
    for (const key of ['Tab', 'Shift+Tab']) {
      const seen = new Set<string>();
      // At the end of the page the focus begins again at its start.
      for (let step = 0; step < count + 10; step++) {
        await page.keyboard.press(key);
        seen.add(await page.evaluate<string>(IDENTIFY_FOCUS));
      }
      expect(seen.size).toBeGreaterThan(count * 0.9);
    }
  });
});

const COUNT_CONTROLS = `[...document.querySelectorAll('a, button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((element) => !element.disabled && element.tabIndex >= 0 && element.checkVisibility({ checkVisibilityCSS: true })).length`;

const IDENTIFY_FOCUS = `(() => {
  window.focusIds ??= new Map();
  const { activeElement } = document;
  if (!activeElement || activeElement === document.body) return 'BODY';
  if (!window.focusIds.has(activeElement)) window.focusIds.set(activeElement, String(window.focusIds.size));
  return window.focusIds.get(activeElement);
})()`;

test('with reduced motion nothing moves, also during a run', async () => {
  const hold = createDeferred();
  const server = await startPageServer({ script: { Wait: [{ text: ['Waiting', '.'], until: hold.promise }] } });
  const { page } = await openSession(fixture, server, { reducedMotion: 'reduce' });
  await sendPrompt(page, 'Wait');
  await page.getByText('Waiting').waitFor();
  expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await eventually(() => page.evaluate('document.getAnimations().length')).toBeGreaterThan(0);
  hold.resolve();
});

test('enlarged to 200 % a window of 1280 by 900 shows everything that is needed', async () => {
  const hold = createDeferred();
  const script = { Wait: [{ text: ['Waiting', '.'], until: hold.promise, ...ask }] };
  const server = await startPageServer({ script, flags: ['--set', 'approval=always'] });
  // The window has half as many CSS pixels then.
  const { page } = await openSession(fixture, server, { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 });
  await sendPrompt(page, 'Wait');
  await page.getByText('Waiting').waitFor();
  await sendPrompt(page, 'later', 'Alt+Enter');
  hold.resolve();
  const dialog = page.locator('.dialog.approval');
  await dialog.waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(640);
  // Every button can be reached: a click of playwright scrolls, but does not click what is covered or outside.
  for (const name of [/^Allow once/, 'Reject', 'Reject with a message', 'Abort']) {
    await page.getByRole('button', { name, exact: true }).first().click({ trial: true, timeout: 10_000 });
  }
  await page.locator('#prompt').click({ trial: true, timeout: 10_000 });
  await page.getByRole('button', { name: /^Usage/ }).click();
  await page.getByRole('button', { name: 'Close the panel' }).click();
  await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
  await eventually(() => readState(page)).toBe('idle');
  expect(await page.evaluate('document.querySelector(".session .scroller").clientHeight')).toBeGreaterThan(120);
});
