// The appearance of the page: themes with enough contrast, phone width, the keyboard, and names for screen readers.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { browser, eventually } from './chromium.ts';
import { FIND_LOW_CONTRAST } from './low-contrast.ts';
import { expectNoTrespasses, openSession, readState, runPrompt, sendPrompt, startPageServer } from './page-fixture.ts';

const fixture = browser();

const TEXT =
  '## Title\n\nSome `code`, a [link](https://x.y) and a quote:\n\n> quoted\n\n```ts\n// comment\nconst x = "a";\n```\n';
const edit = { path: 'a.txt', oldText: 'one two', newText: 'one three' };
const todos = { todos: [{ content: 'Read', status: 'in_progress' }] };
const script = {
  Show: [
    {
      thinking: 'Hm.',
      calls: [
        { name: 'edit', arguments: edit },
        { name: 'todo_write', arguments: todos },
      ],
    },
    { text: TEXT, calls: [{ name: 'read', arguments: { path: 'missing' } }] },
    { text: 'All done.' },
  ],
  Ask: [{ calls: [{ name: 'bash', arguments: { command: 'rm -r x' } }] }],
  Fail: [{ error: 'No credit' }],
  Twice: [
    {
      calls: [
        { name: 'bash', arguments: { command: 'rm -r x' } },
        { name: 'bash', arguments: { command: 'rm -r y' } },
      ],
    },
  ],
};
const flags = ['--set', 'todo.enabled=true', '--set', 'todo.reminders=false'];
const start = () => startPageServer({ script, flags, files: { 'a.txt': 'one two\n' } });
const PANELS = [/^Todo list/, /^Subagents/, /^Branches/, /^Usage/, /^Frames/];

/** Waits until the colours of code are drawn. */
const settle = (page: Page) => page.locator('.hl-keyword').first().waitFor();

describe.each(['light', 'dark'] as const)('the %s theme', (colorScheme) => {
  test('has enough contrast in the conversation, in dialogs and in all panels', async () => {
    const server = await start();
    const opened = await openSession(fixture, server, { colorScheme, viewport: { width: 1280, height: 2400 } });
    const { page } = opened;
    await runPrompt(page, 'Show');
    await settle(page);
    expect(await page.evaluate<string[]>(FIND_LOW_CONTRAST)).toEqual([]);
    for (const name of PANELS) {
      await page.getByRole('button', { name }).click();
      await page.locator('.side-panel').waitFor();
      expect(await page.evaluate<string[]>(FIND_LOW_CONTRAST)).toEqual([]);
    }
    await page.getByLabel('Permission mode').selectOption('always');
    await sendPrompt(page, 'Ask');
    await page.locator('.dialog.approval').waitFor();
    expect(await page.evaluate<string[]>(FIND_LOW_CONTRAST)).toEqual([]);
    await expectNoTrespasses(opened);
  });
});

test('the theme follows the system, can be switched, and stays after a reload', async () => {
  const server = await start();
  const { page } = await openSession(fixture, server, { colorScheme: 'dark' });
  const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const dark = await background();
  const button = page.getByRole('button', { name: /^Theme/ });
  await button.click();
  await eventually(background).not.toBe(dark);
  const light = await background();
  await page.reload();
  await eventually(background).toBe(light);
  await button.click();
  await eventually(background).toBe(dark);
  expect(await button.getAttribute('aria-label')).toBe('Theme: dark');
});

describe('width', () => {
  test.each([320, 390, 760])(
    'long queued messages, a question and a lost connection fit into %i pixels',
    async (width) => {
      const hold = createDeferred();
      const long = 'a rather long text that does not fit into one line of a phone '.repeat(4);
      const calls = [{ name: 'bash', arguments: { command: `rm -r ${'x'.repeat(200)}` } }];
      const waiting = { Wait: [{ text: ['Waiting', '.'], until: hold.promise, calls }] };
      const server = await startPageServer({ script: waiting, flags: ['--set', 'approval=always'] });
      const { page } = await openSession(fixture, server, { viewport: { width, height: 800 } });
      await sendPrompt(page, `Wait ${long}`);
      await page.getByText('Waiting').waitFor();
      for (const text of ['one', 'two']) await sendPrompt(page, `${text} ${long}`, 'Alt+Enter');
      await page.locator('.queue li').nth(1).getByRole('button', { name: 'Edit' }).waitFor();
      expect(await page.evaluate<string[]>(FIND_CUT_CONTROLS)).toEqual([]);
      await page.locator('.queue li').nth(1).getByRole('button', { name: 'Edit' }).click();
      expect(await page.evaluate<string[]>(FIND_CUT_CONTROLS)).toEqual([]);
      hold.resolve();
      await page.locator('.dialog.approval').waitFor();
      expect(await page.evaluate<string[]>(FIND_CUT_CONTROLS)).toEqual([]);
      // The whole command can be read without scrolling to the side.
      const isWrapped = (pre: Element) => pre.scrollWidth <= pre.clientWidth;
      expect(await page.locator('.dialog.approval pre').evaluate(isWrapped)).toBe(true);
      server.program.kill('SIGKILL');
      await page.locator('.connection-bar button').waitFor();
      expect(await page.evaluate<string[]>(FIND_CUT_CONTROLS)).toEqual([]);
      expect(await page.evaluate('document.querySelector(".connection-bar").offsetHeight')).toBeLessThan(60);
    },
  );

  test.each([320, 390, 480, 760, 1024])('nothing overflows at %i pixels', async (width) => {
    const server = await start();
    const { page } = await openSession(fixture, server, { viewport: { width, height: 800 } });
    await runPrompt(page, 'Show');
    const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth');
    await eventually(overflow).toBeLessThanOrEqual(width);
    expect(await page.evaluate<string[]>(FIND_OVERFLOW)).toEqual([]);
    for (const name of PANELS) {
      await page.getByRole('button', { name }).click();
      await page.locator('.side-panel').waitFor();
      await eventually(overflow).toBeLessThanOrEqual(width);
      await page.getByRole('button', { name: 'Close the panel' }).click();
    }
  });

  test('on a phone the list of sessions opens above the session', async () => {
    const server = await start();
    const { page } = await openSession(fixture, server, { viewport: { width: 390, height: 800 } });
    await runPrompt(page, 'Hello');
    const list = page.locator('.sidebar');
    await eventually(() => list.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Sessions' }).click();
    await eventually(() => list.isVisible()).toBe(true);
    await page.locator('.session-item').first().click();
    await eventually(() => list.isVisible()).toBe(false);
  });

  test('on a phone the focus stays in the list or panel that covers the session, and returns when it closes', async () => {
    const server = await start();
    const { page } = await openSession(fixture, server, { viewport: { width: 390, height: 800 } });
    for (const [name, cover, id] of [
      ['Sessions', '.sidebar', ''],
      [/^Usage/, '.side-panel', 'panel-button-usage'],
    ] as const) {
      await page.getByRole('button', { name }).press('Enter');
      const seen: string[] = [];
      for (let step = 0; step < 12; step++) {
        seen.push(
          await page.evaluate<string>(`(({ activeElement: element }) =>
          element.closest('${cover}') ? 'inside' : element.className)(document)`),
        );
        await page.keyboard.press('Tab');
      }
      expect(seen[0]).toBe('inside');
      // After the last control the focus leaves the page, which begins with the skip link.
      expect(seen.filter((name) => !['inside', '', 'skip-link', 'backdrop'].includes(name))).toEqual([]);
      await page.locator(`${cover} a, ${cover} button`).first().focus();
      await page.keyboard.press('Escape');
      await eventually(() => page.evaluate('document.activeElement.id')).toBe(id);
      await eventually(() => page.evaluate('document.activeElement.localName')).toBe('button');
    }
  });

  test('long words, options, tables and lists fit, and every control can be reached in small windows', async () => {
    const server = await startPageServer({
      script: LONG_SCRIPT,
      flags,
      userFiles: { 'extensions/long.ts': LONG_EXTENSION },
    });
    const { page } = await openSession(fixture, server);
    for (const text of ['Todo', 'Table']) await runPrompt(page, text);
    await sendPrompt(page, '/widget');
    await page.locator('.widgets').waitFor();
    const clipped = () => page.evaluate<string[]>(FIND_CLIPPED);
    const cells = page.locator('.prose td');
    await page.setViewportSize({ width: 390, height: 2400 });
    // Not columns of single letters: the table scrolls to the side.
    await eventually(() =>
      cells.evaluateAll((all) => Math.min(...all.map((cell) => cell.clientWidth))),
    ).toBeGreaterThan(50);
    await page.locator('.todo-lines li').waitFor();
    expect(await clipped()).toEqual([]);
    await page.locator('#prompt').pressSequentially('/pi');
    await page.locator('.command-list').waitFor();
    expect(await clipped()).toEqual([]);
    await page.keyboard.press('Escape');
    await sendPrompt(page, '/pick');
    await page.locator('.dialog').waitFor();
    for (const [width, height] of [
      [390, 844],
      [844, 390],
      [320, 256],
    ] as const) {
      await page.setViewportSize({ width, height });
      expect(await clipped()).toEqual([]);
      const buttons = [
        ...(await page.locator('.dialog button').all()),
        page.getByRole('button', { name: 'Frames (f)' }),
      ];
      for (const control of [...buttons, page.locator('#prompt'), page.getByLabel('Permission mode')]) {
        await control.click({ trial: true, timeout: 5_000 });
      }
      // A test can scroll the window, but the user cannot.
      expect(await page.evaluate('document.scrollingElement.scrollTop')).toBe(0);
    }
  });
});

const LONG_WORD = 'w'.repeat(200);
const LONG_SCRIPT = {
  Todo: [
    { calls: [{ name: 'todo_write', arguments: { todos: [{ content: `Write ${LONG_WORD}`, status: 'pending' }] } }] },
  ],
  Table: [{ text: `|${' name |'.repeat(8)}\n|${'---|'.repeat(8)}\n|${' some longer text |'.repeat(8)}\n` }],
};
const LONG_EXTENSION = `export default function (pi) {
  const sentence = 'a text that is long enough for several lines of a narrow window ';
  pi.registerCommand('pick', { description: sentence.repeat(4), handler: async (_, ctx) => {
    await ctx.ui.select(sentence.repeat(2), [sentence.repeat(2), 'w'.repeat(200), 'short']);
  } });
  pi.registerCommand('widget', { description: 'lines', handler: async (_, ctx) => {
    ctx.ui.setWidget('w', Array.from({ length: 40 }, (_, at) => 'Line ' + at));
  } });
}`;

/** Elements whose content is cut off or outside of the window. */
const FIND_CLIPPED = `[...document.querySelectorAll('.dialog, .dialog *, .command-list, .command-list button, .todo-lines li, .queue li')]
  .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 || element.getBoundingClientRect().right > innerWidth)
  .map((element) => element.localName + '.' + element.className + ' ' + element.textContent.slice(0, 30))`;

describe('the keyboard', () => {
  test('reaches everything: new session, prompt, panels, dialogs, list of shortcuts', async () => {
    const server = await start();
    const { page } = await fixture.openUrl(`${server.url}?token=${server.token}`);
    await page.locator('.start-page').waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Directory').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('#prompt:not([disabled])').waitFor();
    await page.keyboard.press('p');
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    await eventually(() => readState(page)).toBe('idle');
    await page.keyboard.press('Tab');
    for (const [key, name] of Object.entries({ t: 'Todo list', b: 'Branches', u: 'Usage', f: 'Frames' })) {
      await page.keyboard.press(key);
      await page.getByRole('complementary', { name }).waitFor();
    }
    await page.keyboard.press('Escape');
    await eventually(() => page.locator('.side-panel').count()).toBe(0);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await eventually(() => page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('/');
    await eventually(() => page.evaluate('document.activeElement.id')).toBe('session-search');
  });

  test('after a search, Escape closes the open panel at once', async () => {
    const server = await start();
    const { page } = await openSession(fixture, server);
    await page.locator('.session .scroller, .empty-conversation').first().click();
    await page.keyboard.press('t');
    await page.locator('.side-panel').waitFor();
    await page.keyboard.press('/');
    await eventually(() => page.evaluate('document.activeElement.id')).toBe('session-search');
    await page.locator('.session-head h1').click();
    await page.keyboard.press('Escape');
    await eventually(() => page.locator('.side-panel').count()).toBe(0);
  });

  test('answers a question without the mouse', async () => {
    const server = await start();
    const { page } = await openSession(fixture, server);
    await page.getByLabel('Permission mode').selectOption('ask');
    await sendPrompt(page, 'Ask');
    await page.locator('.dialog.approval').waitFor();
    // The focus stays in the prompt, so that typing does not answer the question.
    expect(await page.evaluate('document.activeElement.id')).toBe('prompt');
    await page.keyboard.press('Tab');
    await page.keyboard.press('a');
    // Not the button that copies the command.
    await eventually(() => page.evaluate('document.activeElement.textContent')).toBe('Allow once this call only');
    await page.getByRole('button', { name: 'Reject', exact: true }).focus();
    await page.keyboard.press('Enter');
    await eventually(() => page.locator('.dialog.approval').count()).toBe(0);
  });

  test('every element that can have the focus shows it', async () => {
    const server = await start();
    const { page } = await openSession(fixture, server);
    await runPrompt(page, 'Show');
    await page.keyboard.press('Escape');
    const seen = new Set<string>();
    for (let step = 0; step < 60; step++) {
      await page.keyboard.press('Tab');
      const found = await page.evaluate<{ name: string; isVisible: boolean }>(DESCRIBE_FOCUS);
      expect(found).toMatchObject({ isVisible: true });
      seen.add(found.name);
    }
    expect(seen.size).toBeGreaterThan(15);
  });
});

describe('screen readers', () => {
  test('every control has a name', async () => {
    const server = await start();
    const { page } = await openSession(fixture, server, { viewport: { width: 1280, height: 2400 } });
    await runPrompt(page, 'Show');
    for (const name of PANELS) {
      await page.getByRole('button', { name }).click();
      await page.locator('.side-panel').waitFor();
      expect(await page.evaluate<string[]>(FIND_NAMELESS)).toEqual([]);
    }
  });

  test('an error is read out when it happens, and not again later', async () => {
    const server = await start();
    const { page } = await openSession(fixture, server);
    const alerts = page.locator('.conversation [role=alert]');
    await runPrompt(page, 'Fail once');
    await eventually(() => alerts.allTextContents()).toEqual([expect.stringContaining('No credit')]);
    await runPrompt(page, 'Hello');
    await page.locator('.notice.error').waitFor();
    expect(await alerts.count()).toBe(0);
  });

  test('an answer and a question are announced', async () => {
    const server = await start();
    const { page } = await openSession(fixture, server);
    const announced = () => page.locator('[aria-live=polite]').last().textContent();
    await runPrompt(page, 'Show');
    await eventually(announced).toBe('Answer: All done.');
    await page.getByLabel('Permission mode').selectOption('ask');
    await sendPrompt(page, 'Twice');
    await eventually(announced).toBe('Question: Allow bash?');
    // A screen reader notices only a text that changes.
    await page.evaluate(RECORD_ANNOUNCEMENTS);
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.locator('.dialog.approval', { hasText: 'rm -r y' }).waitFor();
    await eventually(() => page.evaluate<string[]>('window.announced')).toEqual(['Question: Allow bash?']);
  });
});

/** Collects the texts that a screen reader would read out. Runs in the page. */
const RECORD_ANNOUNCEMENTS = `(() => {
  window.announced = [];
  const region = [...document.querySelectorAll('[aria-live=polite]')].at(-1);
  new MutationObserver(() => window.announced.push(region.textContent.trim()))
    .observe(region, { childList: true, subtree: true, characterData: true });
})()`;

/** Controls that are visible, but not completely inside the window. */
const FIND_CUT_CONTROLS = `[...document.querySelectorAll('.session button, .session input, .session select, .session textarea, .session label')]
  .filter((element) => element.checkVisibility({ checkVisibilityCSS: true }) && !element.classList.contains('visually-hidden'))
  .filter((element) => {
    const { left, right } = element.getBoundingClientRect();
    return left < 0 || right > innerWidth;
  })
  .map((element) => element.localName + ' ' + (element.ariaLabel || element.textContent))`;

/** Elements that are wider than the page and not inside a box that scrolls. */
const FIND_OVERFLOW = `(() => {
  const scrolls = (element) => element && (/auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  return [...document.querySelectorAll('.app *')]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !scrolls(element.parentElement))
    .filter((element) => !element.closest('.sidebar') && getComputedStyle(element).visibility !== 'hidden')
    .map((element) => element.localName + '.' + element.className);
})()`;

const DESCRIBE_FOCUS = `(() => {
  const element = document.activeElement;
  const style = getComputedStyle(element);
  const field = element.closest('.prompt');
  const isPrompt = element.id === 'prompt' && getComputedStyle(field).borderColor !== getComputedStyle(document.body).color;
  const label = element.closest('label');
  const hasOutline = (one) => one && getComputedStyle(one).outlineStyle !== 'none' && parseFloat(getComputedStyle(one).outlineWidth) > 0;
  const isVisible = hasOutline(element) || hasOutline(label) || isPrompt || element === document.body || element.matches('[role=button]');
  return { name: element.localName + '.' + element.className + '#' + (element.ariaLabel || element.textContent).slice(0, 20), isVisible };
})()`;

const FIND_NAMELESS = `(() => {
  const name = (element) => element.ariaLabel || element.title || element.textContent.trim() || element.placeholder ||
    (element.labels && [...element.labels].map((label) => label.textContent.trim()).join('')) || element.getAttribute('aria-label');
  return [...document.querySelectorAll('button, a, input, select, textarea, [role=button], [role=img], svg[role=img]')]
    .filter((element) => !name(element))
    .map((element) => element.outerHTML.slice(0, 120));
})()`;
