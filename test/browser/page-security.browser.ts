// The page with hostile texts in all places: answers, outputs, files, names, questions. Nothing becomes HTML, and no request leaves the origin.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browser, eventually } from './chromium.ts';
import { expectNoTrespasses, openSession, readState, runPrompt, sendPrompt, startPageServer } from './page-fixture.ts';
import { PAYLOADS } from './payloads.ts';

const fixture = browser();

const HOSTILE_NAME = '<img src=x onerror=hit()>"\'><script>hit()</script>';
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="hit()"><script>hit()</script><image href="https://evil.example/x"/></svg>';
const ESCAPES =
  '\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007 \u001b[31mred\u001b[0m \u001b[2J\u001b]0;title\u0007';

/** Elements that the page never creates, and attributes that run scripts or load other servers. */
const FIND_FOREIGN = `[...document.body.querySelectorAll('*')].filter((element) => {
  const isForeign = ['script', 'iframe', 'object', 'embed', 'video', 'audio', 'style', 'link', 'base', 'meta', 'template', 'marquee', 'xss', 'math', 'image', 'animate', 'set'].includes(element.localName);
  const isModule = element.matches('body > script[type=module]');
  const attributes = [...element.attributes];
  const hasHandler = attributes.some(({ name }) => name.startsWith('on') || name === 'srcdoc' || name === 'ping');
  const link = element.getAttribute('href') ?? element.getAttribute('xlink:href') ?? '';
  const isBadLink = link !== '' && !/^(https?:|mailto:|#|docs$|\\.\\/$)/.test(link);
  const source = element.getAttribute('src') ?? '';
  const isBadSource = source !== '' && !/^data:image\\/(png|jpeg|gif|webp|avif|bmp);base64,/.test(source);
  return (isForeign && !isModule) || hasHandler || isBadLink || (isBadSource && !isModule);
}).map((element) => element.outerHTML.slice(0, 120))`;

/** Clicks the elements that match until there are none: a button that was used has another state or is gone. */
async function clickAll(page: Page, selector: string): Promise<void> {
  for (let left = 50; left > 0 && (await page.locator(selector).count()) > 0; left--) {
    await page.locator(selector).first().click({ timeout: 10_000 });
  }
}

const findForeign = (page: Page) => page.evaluate<string[]>(FIND_FOREIGN);

describe.each([
  ['with the policy', false],
  ['without the policy', true],
] as const)('hostile texts, %s', (_name, bypassCSP) => {
  test('in outputs, files, names, questions, queues, trees and frames are texts', async () => {
    const text = `${PAYLOADS.join('\n')}\n${ESCAPES}\n${SVG}\n`;
    const edit = { path: 'a.html', oldText: 'OLD', newText: `NEW ${PAYLOADS.slice(0, 30).join(' ')}` };
    const todos = [{ content: HOSTILE_NAME, status: 'in_progress' }];
    const script = {
      Tools: [
        {
          text: HOSTILE_NAME,
          calls: [
            { name: 'bash', arguments: { command: 'cat hostile.txt' } },
            { name: 'read', arguments: { path: 'hostile.txt' } },
            { name: 'read', arguments: { path: 'picture.svg' } },
            { name: 'read', arguments: { path: HOSTILE_NAME } },
            { name: 'edit', arguments: edit },
            { name: 'todo_write', arguments: { todos } },
            { name: HOSTILE_NAME, arguments: { [HOSTILE_NAME]: HOSTILE_NAME } },
          ],
        },
      ],
      Ask: [{ calls: [{ name: 'bash', arguments: { command: `echo '${text}'` } }] }],
    };
    const files = { 'hostile.txt': text, 'picture.svg': SVG, 'a.html': `OLD ${HOSTILE_NAME}\n` };
    const flags = ['--set', 'todo.enabled=true', '--set', 'todo.reminders=false'];
    const server = await startPageServer({ script, files, flags });
    const opened = await openSession(fixture, server, { bypassCSP, viewport: { width: 1280, height: 6000 } });
    const { page, sessionId } = opened;
    await server.call(sessionId, 'set_session_name', { name: HOSTILE_NAME });
    await runPrompt(page, `Tools ${HOSTILE_NAME}`, 'Tools');
    await eventually(() => page.locator('.session-head h1').textContent()).toBe(HOSTILE_NAME);
    await eventually(() => page.locator('.session-title').textContent()).toBe(HOSTILE_NAME);
    await eventually(() => page.title()).toBe(`${HOSTILE_NAME} · Parley`);
    await clickAll(page, '.conversation .arguments-button[aria-pressed=false]');
    await clickAll(page, '.conversation .text-button[aria-expanded=false]');
    expect(await findForeign(page)).toEqual([]);
    for (const key of ['Todo list', 'Branches', 'Usage', 'Frames']) {
      await page.getByRole('button', { name: new RegExp(`^${key}`) }).click();
      await page.getByRole('complementary', { name: key }).waitFor();
      expect(await findForeign(page)).toEqual([]);
    }
    await page.locator('.frame-row', { hasText: 'message_end' }).last().click();
    await page.getByLabel('Permission mode').selectOption('always');
    await sendPrompt(page, 'Ask');
    await page.locator('.dialog.approval').waitFor();
    await sendPrompt(page, HOSTILE_NAME, 'Alt+Enter');
    await page.locator('.queue li').waitFor();
    expect(await findForeign(page)).toEqual([]);
    // Escape sequences are shown where a decision depends on the text.
    expect(await page.locator('.dialog.approval pre').textContent()).not.toContain('\u001b');
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await eventually(() => readState(page)).toBe('idle');
    await expectNoTrespasses(opened);
  });
});

test('an SVG image and an unknown image type are not drawn', async () => {
  const server = await startPageServer();
  const { page, ...opened } = await openSession(fixture, server);
  const paste = (name: string, type: string, text: string) =>
    page.locator('#prompt').evaluate(
      (field, file) => {
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([file.text], file.name, { type: file.type }));
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      },
      { name, type, text },
    );
  await paste('a.svg', 'image/svg+xml', SVG);
  await paste('b.html', 'text/html', SVG);
  await eventually(() => page.locator('.toast.error').count()).toBe(2);
  await runPrompt(page, 'No image');
  expect(await page.locator('.draft-images li, .prompt-message img').count()).toBe(0);
  expect(await findForeign(page)).toEqual([]);
  await expectNoTrespasses({ page, ...opened });
});

test('all requests and sockets of all parts of the page go to its own origin', async () => {
  const text = '![a](https://evil.example/a.png) <img src="https://evil.example/b.png"> [l](https://evil.example/)';
  const server = await startPageServer({ script: { Show: [{ text }] } });
  const { page } = await fixture.openUrl(server.url);
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  page.on('websocket', (socket) => requested.push(socket.url().replace('ws:', 'http:')));
  await page.goto(`${server.url}?token=${server.token}&session=${await server.createSession()}`);
  await eventually(() => readState(page)).toBe('idle');
  await runPrompt(page, 'Show');
  for (const name of [/^Todo/, /^Subagents/, /^Branches/, /^Usage/, /^Frames/]) {
    await page.getByRole('button', { name }).click();
    await page.locator('.side-panel').waitFor();
  }
  await page.getByRole('button', { name: /^Model/ }).click();
  await page.getByLabel('Search models').waitFor();
  await page.goto(`${server.url}docs`);
  await page.locator('.operation').first().waitFor();
  expect(requested.length).toBeGreaterThan(10);
  expect(requested.filter((url) => !url.startsWith(server.url) && !url.startsWith('data:image/'))).toEqual([]);
  expect(requested.filter((url) => url.includes('/ws?'))).toHaveLength(1);
});

test.each(['', 'docs', 'assets/x.js'])('the policy of /%s allows nothing inline and no other server', async (path) => {
  const server = await startPageServer();
  const { headers } = await server.request(`/${path}`);
  const policy = Object.fromEntries(
    String(headers['content-security-policy'])
      .split(';')
      .map((part) => part.trim().split(/ (.*)/s) as [string, string]),
  );
  expect(policy).toMatchObject({ 'default-src': "'none'", 'script-src': "'self'", 'style-src': "'self'" });
  expect(policy).toMatchObject({ 'connect-src': expect.stringMatching(/^'self'/), 'frame-ancestors': "'none'" });
  expect(JSON.stringify(policy)).not.toMatch(/unsafe|https?:|\*/);
});
