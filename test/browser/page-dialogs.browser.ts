// Questions of the agent in the page: approvals with their scopes, and dialogs of extensions.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browser, eventually } from './chromium.ts';
import { openSession, readState, runPrompt, sendPrompt, startPageServer } from './page-fixture.ts';

const fixture = browser();

const write = (path: string) => ({ calls: [{ name: 'write', arguments: { path, content: `text of ${path}\n` } }] });
const script = {
  Once: [write('a.txt')],
  Again: [write('b.txt')],
  Edit: [{ calls: [{ name: 'edit', arguments: { path: 'old.txt', oldText: 'old', newText: 'new' } }] }],
  Command: [{ calls: [{ name: 'bash', arguments: { command: 'echo one > c.txt' } }] }],
};
const options = { script, flags: ['--set', 'approval=on-write'], files: { 'old.txt': 'old\n' } };

const ask = async (page: Page, prompt: string) => {
  await sendPrompt(page, prompt);
  await page.locator('.dialog.approval').waitFor();
  return page.locator('.dialog.approval');
};

describe('approvals', () => {
  test('a change is shown as a diff, and allowed once', async () => {
    const server = await startPageServer(options);
    const { page } = await openSession(fixture, server);
    const dialog = await ask(page, 'Edit');
    await eventually(() => readState(page)).toBe('waiting for an answer');
    expect(await dialog.locator('.diff-table .removed.text').textContent()).toBe('old');
    expect(await dialog.locator('.diff-table .added.text').textContent()).toBe('new');
    expect(await dialog.locator('.call-line').textContent()).toContain(server.program.cwd);
    await dialog.getByRole('button', { name: /^Allow once/ }).click();
    await eventually(() => readState(page)).toBe('idle');
    expect(readFileSync(join(server.program.cwd, 'old.txt'), 'utf8')).toBe('new\n');
    const next = await ask(page, 'Again');
    await next.getByRole('button', { name: 'Reject', exact: true }).click();
    await eventually(() => page.locator('.card.failed').count()).toBe(1);
    expect(existsSync(join(server.program.cwd, 'b.txt'))).toBe(false);
  });

  test('allowed in this session, the next call does not ask', async () => {
    const server = await startPageServer(options);
    const { page } = await openSession(fixture, server);
    const dialog = await ask(page, 'Once');
    await dialog.getByRole('button', { name: /^In this session/ }).click();
    await eventually(() => readState(page)).toBe('idle');
    await runPrompt(page, 'Again');
    expect(existsSync(join(server.program.cwd, 'b.txt'))).toBe(true);
  });

  test('always allowed, the rule is saved; the button names it', async () => {
    const server = await startPageServer(options);
    const { page } = await openSession(fixture, server);
    const dialog = await ask(page, 'Command');
    expect(await dialog.locator('.code-block pre').textContent()).toBe('echo one > c.txt');
    const button = dialog.getByRole('button', { name: /^Always/ });
    expect(await button.textContent()).toBe('Always bash(echo one), write(./c.txt)');
    await button.click();
    await eventually(() => readState(page)).toBe('idle');
    expect(readFileSync(join(server.program.home, 'settings.json'), 'utf8')).toContain('bash(echo one)');
  });

  test('rejected with a message, the model gets it', async () => {
    const server = await startPageServer(options);
    const { page } = await openSession(fixture, server);
    const dialog = await ask(page, 'Once');
    await dialog.getByRole('button', { name: 'Reject with a message' }).click();
    await page.getByLabel('Message to the model').press('Escape');
    await eventually(() => page.getByLabel('Message to the model').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.hasAttribute("data-dialog")')).toBe(true);
    expect(await readState(page)).toBe('waiting for an answer');
    await dialog.getByRole('button', { name: 'Reject with a message' }).click();
    await page.getByLabel('Message to the model').fill('Use another name');
    await page.keyboard.press('Enter');
    await eventually(() => page.locator('.card.failed .output').textContent()).toContain('Use another name');
  });

  test('answered in one page, it disappears from the other one, which says by whom', async () => {
    const server = await startPageServer(options);
    const { page, sessionId } = await openSession(fixture, server);
    const other = await openSession(fixture, server, { sessionId });
    const dialog = await ask(page, 'Once');
    await other.page.locator('.dialog.approval').waitFor();
    await dialog.getByRole('button', { name: /^Allow once/ }).click();
    await eventually(() => other.page.locator('.dialog.approval').count()).toBe(0);
    await eventually(() => other.page.locator('.closed-dialog').textContent()).toMatch(/was answered by page-/);
  });

  test('answered elsewhere, the focus goes on to the prompt, and keys that are pressed then open nothing', async () => {
    const server = await startPageServer(options);
    const { page, sessionId } = await openSession(fixture, server);
    const other = await openSession(fixture, server, { sessionId });
    const dialog = await ask(page, 'Once');
    await dialog.getByRole('button', { name: 'Reject with a message' }).click();
    await page.getByLabel('Message to the model').pressSequentially('Use');
    await other.page.getByRole('button', { name: /^Allow once/ }).click();
    await eventually(() => page.locator('.dialog.approval').count()).toBe(0);
    await page.keyboard.type('?nf');
    expect(await page.evaluate('document.activeElement.id')).toBe('prompt');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.locator('.side-panel').count()).toBe(0);
  });

  test('a call that waits for an approval is not shown as running', async () => {
    const server = await startPageServer(options);
    const { page } = await openSession(fixture, server);
    const dialog = await ask(page, 'Once');
    const card = page.locator('.card.call');
    await eventually(() => card.locator('.status').textContent()).toBe('waiting');
    await dialog.getByRole('button', { name: /^Allow once/ }).click();
    await eventually(() => card.locator('.status').textContent()).toBe('done');
  });

  test('withdrawn by an abort, it disappears; a page that comes later sees a pending one', async () => {
    const server = await startPageServer(options);
    const { page, sessionId } = await openSession(fixture, server);
    await ask(page, 'Once');
    const late = await openSession(fixture, server, { sessionId });
    await late.page.locator('.dialog.approval').waitFor();
    await page.getByRole('button', { name: 'Abort' }).click();
    await eventually(() => page.locator('.dialog.approval').count()).toBe(0);
    await eventually(() => late.page.locator('.dialog.approval').count()).toBe(0);
    await eventually(() => late.page.locator('.closed-dialog').textContent()).toContain('was withdrawn');
  });
});

const EXTENSION = `export default function (pi) {
  const commands = {
    choose: (ui) => ui.select('Which one?', ['red', 'green']),
    sure: async (ui) => String(await ui.confirm('Sure?', 'This cannot be **undone**.')),
    name: (ui) => ui.input('Your name?', 'first and last'),
    essay: (ui) => ui.editor('Write it', 'Dear all'),
  };
  for (const [name, ask] of Object.entries(commands)) {
    pi.registerCommand(name, { description: name, handler: async (_, ctx) => ctx.ui.notify('Got: ' + (await ask(ctx.ui))) });
  }
  pi.registerCommand('show', { description: 'show', handler: async (_, ctx) => {
    ctx.ui.setStatus('k', 'Status text');
    ctx.ui.setWidget('w', ['Widget line']);
    ctx.ui.setEditorText('From the extension');
  } });
}`;

describe('dialogs of extensions', () => {
  const start = async () => {
    const server = await startPageServer({ userFiles: { 'extensions/ask.ts': EXTENSION } });
    const { page } = await openSession(fixture, server);
    const dialog = page.locator('.dialog');
    const run = async (command: string) => {
      await sendPrompt(page, command);
      await dialog.waitFor();
    };
    const got = (text: string) => page.locator('.notice', { hasText: `Got: ${text}` }).waitFor();
    return { page, dialog, run, got };
  };

  test('a list, a question, a line and a longer text are answered', async () => {
    const { page, dialog, run, got } = await start();
    await run('/choose');
    await dialog.getByRole('button', { name: 'green' }).click();
    await got('green');
    await run('/sure');
    await eventually(() => dialog.locator('strong').textContent()).toBe('undone');
    await dialog.getByRole('button', { name: 'Yes' }).click();
    await got('true');
    await run('/name');
    expect(await dialog.locator('input').getAttribute('placeholder')).toBe('first and last');
    await dialog.locator('input').fill('Ada');
    await page.keyboard.press('Enter');
    await got('Ada');
    await run('/essay');
    expect(await dialog.locator('textarea').inputValue()).toBe('Dear all');
    await dialog.locator('textarea').fill('Dear Ada');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await got('Dear Ada');
  });

  test('a dismissed dialog has no answer', async () => {
    const { dialog, run, got } = await start();
    await run('/choose');
    await dialog.getByRole('button', { name: 'Dismiss' }).click();
    await got('undefined');
  });

  test('status, widget and editor text of an extension are shown', async () => {
    const { page } = await start();
    await sendPrompt(page, '/show');
    await eventually(() => page.inputValue('#prompt')).toBe('From the extension');
    await eventually(() => page.locator('.widgets').textContent()).toBe('Widget line');
    await page.locator('.session-facts', { hasText: 'Status text' }).waitFor();
  });
});
