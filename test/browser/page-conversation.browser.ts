// The conversation in the page: streaming markdown, thinking, tool calls, diffs, images, and the todo list.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { OFFLINE } from '../support/server.ts';
import { browser, eventually } from './chromium.ts';
import { expectNoTrespasses, openSession, readState, runPrompt, sendPrompt, startPageServer } from './page-fixture.ts';
import { PAYLOADS } from './payloads.ts';

const fixture = browser();

/** A red picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';

describe('answers', () => {
  test('markdown is drawn while it arrives, and complete at the end', async () => {
    const hold = createDeferred();
    const text = [
      '## Title\n\nSome **bo',
      'ld** text.\n\n```ts\nconst x = 1;\n```\n\n- [x] done\n\n| a |\n|---|\n| 1 |\n\nשלום\n\n- שלום\n\n> שלום\n\n1. שלום\n\n2. שלום\n\n| שלום |\n|---|\n| 1 |\n',
    ];
    const server = await startPageServer({ script: { Markdown: [{ text, until: hold.promise }] } });
    const opened = await openSession(fixture, server);
    const { page } = opened;
    await sendPrompt(page, 'Markdown please');
    const prose = page.locator('.kind-text .prose');
    await eventually(() => prose.locator('h4').textContent()).toBe('Title');
    await eventually(() => prose.locator('p').first().textContent()).toBe('Some **bo');
    hold.resolve();
    await eventually(() => prose.locator('strong').textContent()).toBe('bold');
    await eventually(() => prose.locator('pre .hl-keyword').textContent()).toBe('const');
    await eventually(() => prose.locator('td').first().textContent()).toBe('1');
    await prose.locator('ol').waitFor();
    expect(await prose.locator('.checkbox').getAttribute('aria-label')).toBe('done');
    // Each block has the direction of its text.
    const directions = await prose
      .locator(':scope > :is(p, ul, ol, blockquote, .table-box)')
      .evaluateAll((all) => all.map((element) => [element.localName, getComputedStyle(element).direction]));
    expect(directions).toEqual([
      ['p', 'ltr'],
      ['ul', 'ltr'],
      ['div', 'ltr'],
      ['p', 'rtl'],
      ['ul', 'rtl'],
      ['blockquote', 'rtl'],
      ['ol', 'rtl'],
      ['div', 'rtl'],
    ]);
    await expectNoTrespasses(opened);
  });

  test('links lead only to web and mail addresses, and to a new page', async () => {
    const text = '[a](https://x.y/z) [b](javascript:alert(1)) [c](mailto:a@b.c) [d](/local) ![e](https://x.y/e.png)';
    const server = await startPageServer({ script: { Links: [{ text }] } });
    const opened = await openSession(fixture, server);
    await runPrompt(opened.page, 'Links');
    const links = await opened.page
      .locator('.prose a')
      .evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('href'), link.getAttribute('rel')]));
    expect(links).toEqual([
      ['a', 'https://x.y/z', 'noopener noreferrer'],
      ['c', 'mailto:a@b.c', 'noopener noreferrer'],
      ['e', 'https://x.y/e.png', 'noopener noreferrer'],
    ]);
    await expectNoTrespasses(opened);
  });

  test.each([
    ['with the policy', false],
    ['without the policy', true],
  ] as const)('no HTML of the model is parsed, %s', async (_name, bypassCSP) => {
    const text = PAYLOADS.join('\n\n');
    const server = await startPageServer({ script: { Hostile: [{ text, thinking: PAYLOADS.join('\n') }] } });
    const opened = await openSession(fixture, server, { bypassCSP });
    const { page } = opened;
    await sendPrompt(page, `Hostile ${PAYLOADS.slice(0, 20).join(' ')}`);
    await page.locator('.kind-text').first().waitFor();
    await eventually(() => readState(page)).toBe('idle');
    const conversation = page.locator('.session .conversation');
    const found = await scrollThrough(page, () => conversation.evaluate(findForeignElements));
    await page.locator('.thinking button').click();
    await page.locator('.thinking-text').waitFor();
    expect([...found, ...(await conversation.evaluate(findForeignElements))]).toEqual([]);
    await expectNoTrespasses(opened);
  });

  test('thinking is live, and collapsed afterwards', async () => {
    const hold = createDeferred();
    const script = { Think: [{ thinking: 'מחשבה ארוכה', text: ['', 'The answer.'], until: hold.promise }] };
    const server = await startPageServer({ script });
    const { page } = await openSession(fixture, server);
    await sendPrompt(page, 'Think');
    await eventually(() => page.locator('.thinking-text').textContent()).toBe('מחשבה ארוכה');
    // In the direction of its text.
    const readDirection = () =>
      page.locator('.thinking-text').evaluate((element) => getComputedStyle(element).direction);
    expect(await readDirection()).toBe('rtl');
    hold.resolve();
    await page.getByText('The answer.', { exact: true }).waitFor();
    await eventually(() => page.locator('.thinking-text').count()).toBe(0);
    await page.getByRole('button', { name: /^Thinking/ }).click();
    await eventually(() => page.locator('.thinking-text').textContent()).toBe('מחשבה ארוכה');
    expect(await readDirection()).toBe('rtl');
  });

  test('an error of the provider is shown', async () => {
    const server = await startPageServer({ script: { Fail: [{ error: 'The account has no credit' }] } });
    const { page } = await openSession(fixture, server);
    await runPrompt(page, 'Fail');
    await eventually(() => page.locator('.notice.error').textContent()).toContain('The account has no credit');
  });

  test('the offline model answers', async () => {
    const server = await startPageServer({ flags: OFFLINE });
    const { page } = await openSession(fixture, server);
    await runPrompt(page, 'say `hello`', 'hello');
    await page.locator('.kind-text', { hasText: 'hello' }).waitFor();
  });
});

/** Elements that only HTML of a text could have created. Runs in the page. */
function findForeignElements(root: Element): string[] {
  const known = new Set([
    ...[
      'div',
      'span',
      'p',
      'section',
      'header',
      'button',
      'a',
      'pre',
      'code',
      'ul',
      'ol',
      'li',
      'h3',
      'h4',
      'h5',
      'h6',
    ],
    ...[
      'strong',
      'em',
      'del',
      'br',
      'hr',
      'blockquote',
      'table',
      'thead',
      'tbody',
      'tr',
      'th',
      'td',
      'svg',
      'path',
      'img',
    ],
  ]);
  return [...root.querySelectorAll('*')]
    .filter((element) => {
      const isPicture = element.localName === 'img' && !(element.getAttribute('src') ?? '').startsWith('data:image/');
      const hasHandler = [...element.attributes].some(({ name }) => name.startsWith('on'));
      return !known.has(element.localName) || isPicture || hasHandler;
    })
    .map((element) => element.outerHTML.slice(0, 100));
}

/** From the end to the beginning, because only visible rows are drawn. */
async function scrollThrough<T>(page: Page, visit: () => Promise<T[]>): Promise<T[]> {
  const scroller = page.locator('.session .scroller');
  const found: T[] = [];
  for (let isAtStart = false; !isAtStart; ) {
    found.push(...(await visit()));
    isAtStart = await scroller.evaluate((element) => {
      element.scrollBy(0, -500);
      return new Promise<boolean>((resolve) => requestAnimationFrame(() => resolve(element.scrollTop === 0)));
    });
  }
  return [...found, ...(await visit())];
}

describe('tool calls', () => {
  test('a command shows its output while it runs, and its result', async () => {
    const command = 'echo first; while [ ! -e go ]; do sleep 0.05; done; echo last';
    const server = await startPageServer({ script: { Run: [{ calls: [{ name: 'bash', arguments: { command } }] }] } });
    const { page } = await openSession(fixture, server);
    await sendPrompt(page, 'Run it');
    const card = page.locator('.card.call');
    await eventually(() => card.locator('.status').textContent()).toBe('running');
    await eventually(() => card.locator('.output').textContent()).toContain('first');
    await page.request.post(`${server.url}v1/sessions/${page.url().split('/s/')[1]}/commands/bash`, {
      data: { command: 'touch go' },
      headers: { authorization: `Bearer ${server.token}` },
    });
    await eventually(() => card.locator('.status').textContent()).toBe('done');
    await eventually(() => card.locator('.output').textContent()).toContain('last');
    await card.hover();
    await card.getByRole('button', { name: 'Arguments' }).click();
    await eventually(() => card.locator('.code-block').textContent()).toContain('"command"');
  });

  const edit = { path: 'a.ts', oldText: 'const a = 1;', newText: 'const a = 2;\nconst b = 3;' };
  const files = { 'a.ts': `${'// line\n'.repeat(6)}const a = 1;\nend();\n` };
  const script = { Edit: [{ calls: [{ name: 'edit', arguments: edit }] }] };

  test('an edit is shown side by side', async () => {
    const server = await startPageServer({ script, files });
    const { page } = await openSession(fixture, server);
    await runPrompt(page, 'Edit it');
    const rows = await page
      .locator('.diff-table.split tr')
      .evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)));
    expect(rows).toContainEqual(['7', 'const a = 1;', '7', 'const a = 2;']);
    expect(rows).toContainEqual(['', '', '8', 'const b = 3;']);
    expect(rows).toContainEqual(['8', 'end();', '9', 'end();']);
    expect(await page.locator('.diff-table mark').allTextContents()).toEqual(['1', '2']);
    expect(await page.locator('.change-count').getAttribute('aria-label')).toBe('2 lines added, 1 line removed');
    expect(readFileSync(join(server.program.cwd, 'a.ts'), 'utf8')).toContain('const b = 3;');
  });

  test('on a phone the change has one column', async () => {
    const server = await startPageServer({ script, files });
    const { page } = await openSession(fixture, server, { viewport: { width: 390, height: 800 } });
    await runPrompt(page, 'Edit it');
    const lines = page.locator('.diff-table.unified tr');
    await eventually(() => lines.filter({ hasText: '−const a = 1;' }).count()).toBe(1);
    await eventually(() => lines.filter({ hasText: '+const b = 3;' }).count()).toBe(1);
    expect(await page.locator('.diff-table.split').count()).toBe(0);
  });

  test('a long output is folded and can be expanded; a failed call is marked', async () => {
    const calls = [
      { name: 'bash', arguments: { command: 'seq 1 40' } },
      { name: 'read', arguments: { path: 'missing.txt' } },
      { name: 'bash', arguments: { command: 'seq 1 40; echo the reason; false' } },
    ];
    const server = await startPageServer({ script: { Long: [{ calls }] } });
    const { page } = await openSession(fixture, server);
    await runPrompt(page, 'Long output');
    const [first, second] = [page.locator('.card').nth(0), page.locator('.card').nth(1)];
    expect(await first.locator('pre').textContent()).not.toContain('39');
    await first.getByRole('button', { name: 'Show all 40 lines' }).click();
    await eventually(() => first.locator('pre').textContent()).toContain('39');
    await eventually(() => second.locator('.status').textContent()).toBe('failed');
    // The reason of a failure is at the end of the output.
    const third = page.locator('.card').nth(2);
    await third.locator('pre', { hasText: 'the reason' }).waitFor();
    expect(await third.locator('pre').textContent()).not.toContain('12\n13');
  });
});

describe('images', () => {
  test('a pasted image is sent with the prompt and shown; it can be removed before', async () => {
    const server = await startPageServer();
    const { page } = await openSession(fixture, server);
    const paste = () =>
      page.locator('#prompt').evaluate((field, data) => {
        const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([bytes], 'pixel.png', { type: 'image/png' }));
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      }, PIXEL);
    await paste();
    await page.getByRole('button', { name: 'Remove pixel.png' }).click();
    await eventually(() => page.locator('.draft-images li').count()).toBe(0);
    await paste();
    await page.locator('.draft-images img').waitFor();
    await runPrompt(page, 'What is this?');
    const picture = page.locator('.prompt-message img');
    await eventually(() => picture.getAttribute('src')).toBe(`data:image/png;base64,${PIXEL}`);
    await picture.click();
    await page.locator('.full-picture').waitFor();
    await page.keyboard.press('Escape');
    await eventually(() => page.locator('.full-picture').count()).toBe(0);
  });

  test('an image can be dropped', async () => {
    const server = await startPageServer();
    const { page } = await openSession(fixture, server);
    await page.locator('form.prompt').evaluate((form, data) => {
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], 'dropped.png', { type: 'image/png' }));
      form.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, PIXEL);
    await eventually(() => page.locator('.draft-images img').getAttribute('alt')).toBe('dropped.png');
  });
});

test('the todo list follows the model', async () => {
  const todos = (first: string, second: string) => ({
    todos: [
      { content: 'Read it', status: first },
      { content: 'Change it', status: second },
    ],
  });
  const script = {
    Plan: [
      { calls: [{ name: 'todo_write', arguments: todos('in_progress', 'pending') }] },
      { calls: [{ name: 'todo_write', arguments: todos('completed', 'in_progress') }] },
    ],
  };
  const flags = ['--set', 'todo.enabled=true', '--set', 'todo.reminders=false'];
  const server = await startPageServer({ script, flags });
  const { page } = await openSession(fixture, server);
  await runPrompt(page, 'Plan it');
  await page.getByRole('button', { name: /^Todo list/ }).click();
  const panel = page.getByRole('complementary', { name: 'Todo list' });
  await eventually(() => panel.locator('.panel-note').textContent()).toBe('1 of 2 done');
  await eventually(() => panel.locator('li.in_progress').textContent()).toContain('Change it');
  await page.reload();
  await eventually(() => readState(page)).toBe('idle');
  await page.getByRole('button', { name: /^Todo list/ }).click();
  await eventually(() => panel.locator('li.completed').textContent()).toContain('Read it');
});
