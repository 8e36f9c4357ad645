// The prompt in the page: keys, steering, queued messages, slash commands and the switches of a session.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { browser, eventually } from './chromium.ts';
import { openSession, readState, runPrompt, sendPrompt, startPageServer } from './page-fixture.ts';

const fixture = browser();
/** The prompts with the line breaks that are visible. */
const readLines = (page: Page) =>
  page.evaluate<string[]>('[...document.querySelectorAll(".prompt-message")].map((message) => message.innerText)');

describe('keys', () => {
  test('Enter sends, Shift+Enter begins a line, and the draft survives a reload', async () => {
    const server = await startPageServer();
    const { page } = await openSession(fixture, server);
    await page.fill('#prompt', 'one');
    await page.press('#prompt', 'Shift+Enter');
    await page.locator('#prompt').pressSequentially('two');
    expect(await page.inputValue('#prompt')).toBe('one\ntwo');
    await page.reload();
    await eventually(() => page.inputValue('#prompt')).toBe('one\ntwo');
    await eventually(() => readState(page)).toBe('idle');
    await page.press('#prompt', 'Enter');
    await eventually(() => readLines(page)).toEqual(['one\ntwo']);
    await eventually(() => page.inputValue('#prompt')).toBe('');
  });

  test('during a run Enter steers, Alt+Enter follows up, and both are delivered', async () => {
    const hold = createDeferred();
    const calls = [{ name: 'bash', arguments: { command: 'true' } }];
    const server = await startPageServer({
      script: { Work: [{ text: ['Working', '.'], until: hold.promise, calls }] },
    });
    const { page } = await openSession(fixture, server);
    await sendPrompt(page, 'Work');
    await page.getByText('Working').waitFor();
    await sendPrompt(page, 'Steered');
    await sendPrompt(page, 'Followed', 'Alt+Enter');
    await eventually(() => page.locator('.queue li').allTextContents()).toEqual(['SteerSteered', 'Follow upFollowed']);
    hold.resolve();
    await eventually(() => readState(page)).toBe('idle');
    await eventually(() => page.locator('.queue').count()).toBe(0);
    const prompts = () => page.locator('.prompt-message').allTextContents();
    await eventually(prompts).toEqual(['Work', 'Steered', 'Followed']);
  });

  test.each(['Escape', 'button'] as const)('a run is aborted by: %s', async (way) => {
    const hold = createDeferred();
    const server = await startPageServer({
      script: { Endless: [{ text: ['Beginning', ' end'], until: hold.promise }] },
    });
    const { page } = await openSession(fixture, server);
    await sendPrompt(page, 'Endless');
    await page.getByText('Beginning').waitFor();
    if (way === 'Escape') await page.press('#prompt', 'Escape');
    else await page.getByRole('button', { name: 'Abort' }).click();
    await eventually(() => readState(page)).toBe('idle');
    await page.locator('.notice', { hasText: 'Aborted' }).waitFor();
    hold.resolve();
  });

  test('Escape in another field or in an open list does not abort the run', async () => {
    const hold = createDeferred();
    const server = await startPageServer({ script: { Wait: [{ text: ['Waiting', '.'], until: hold.promise }] } });
    const { page } = await openSession(fixture, server);
    await sendPrompt(page, 'Wait');
    await page.getByText('Waiting').waitFor();
    const list = page.locator('.model-list');
    await page.getByRole('button', { name: /^Model/ }).click();
    await list.waitFor();
    await page.keyboard.press('Tab');
    await eventually(() => list.count()).toBe(0);
    await page.getByRole('button', { name: /^Model/ }).click();
    await list.waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Escape');
    await eventually(() => list.count()).toBe(0);
    await page.getByLabel('Search sessions').press('Escape');
    expect(await readState(page)).toBe('running');
    hold.resolve();
    await eventually(() => readState(page)).toBe('idle');
    expect(await page.locator('.notice', { hasText: 'Aborted' }).count()).toBe(0);
  });

  test('a refused prompt is put back into the editor, with the reason', async () => {
    const server = await startPageServer({ flags: ['--set', 'task.budget.maxCostUsd=0.000001'] });
    const { page } = await openSession(fixture, server, { viewport: { width: 390, height: 800 } });
    await runPrompt(page, 'Costs something');
    await sendPrompt(page, 'Too much');
    await page.locator('.toast.error').waitFor();
    expect(await page.inputValue('#prompt')).toBe('Too much');
    // The reason does not cover the button.
    await page.getByRole('button', { name: 'Send' }).click({ trial: true, timeout: 5_000 });
  });
});

describe('queued messages', () => {
  const openQueue = async () => {
    const hold = createDeferred();
    const server = await startPageServer({ script: { Wait: [{ text: ['Waiting', '.'], until: hold.promise }] } });
    const { page, sessionId } = await openSession(fixture, server);
    await sendPrompt(page, 'Wait');
    await page.getByText('Waiting').first().waitFor();
    const queue = (message: string) => server.call(sessionId, 'follow_up', { message });
    for (const text of ['first', 'second', 'third']) {
      await sendPrompt(page, text, 'Alt+Enter');
      await page.locator('.queue li', { hasText: text }).waitFor();
    }
    const texts = () => page.locator('.queue-text').allTextContents();
    return { page, hold, texts, queue, item: (text: string) => page.locator('.queue li', { hasText: text }) };
  };

  test('can be moved, edited and removed, and the run uses what is left', async () => {
    const { page, hold, texts, item } = await openQueue();
    await item('third').getByRole('button', { name: 'Move up' }).click();
    await eventually(texts).toEqual(['first', 'third', 'second']);
    await item('first').getByRole('button', { name: 'Move down' }).click();
    await eventually(texts).toEqual(['third', 'first', 'second']);
    await item('first').getByRole('button', { name: 'Remove' }).click();
    await eventually(texts).toEqual(['third', 'second']);
    await item('second').getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Queued message', { exact: true }).fill('changed');
    await page.keyboard.press('Enter');
    await eventually(texts).toEqual(['third', 'changed']);
    hold.resolve();
    await eventually(() => page.locator('.prompt-message').allTextContents()).toEqual(['Wait', 'third', 'changed']);
  });

  test('stay open for a change while others are added, and keep their lines', async () => {
    const { page, hold, queue, item } = await openQueue();
    await queue('one\ntwo');
    await item('one').getByRole('button', { name: 'Edit' }).click();
    const field = page.getByLabel('Queued message', { exact: true });
    expect(await field.inputValue()).toBe('one\ntwo');
    await field.press('End');
    await field.press('Shift+Enter');
    await field.pressSequentially('three');
    await queue('added meanwhile');
    await item('added meanwhile').getByRole('button', { name: 'Edit' }).waitFor();
    expect(await field.inputValue()).toBe('one\ntwo\nthree');
    await field.press('Enter');
    await eventually(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Edit');
    await item('one').getByRole('button', { name: 'Edit' }).click();
    await field.press('Escape');
    await eventually(() => field.count()).toBe(0);
    hold.resolve();
    await eventually(async () => (await readLines(page)).slice(-2)).toEqual(['one\ntwo\nthree', 'added meanwhile']);
  });

  test('do not cover the conversation and the prompt when they are many', async () => {
    const { page, hold, queue, item } = await openQueue();
    for (let at = 0; at < 40; at++) await queue(`more ${at}`);
    await item('more 39').getByRole('button', { name: 'Edit' }).waitFor();
    await item('more 39').getByRole('button', { name: 'Move up' }).click();
    for (const [width, height] of [
      [1280, 900],
      [390, 700],
    ] as const) {
      await page.setViewportSize({ width, height });
      const abort = page.getByRole('button', { name: 'Abort' });
      await eventually(async () => ((await abort.boundingBox())?.y ?? 9999) < height).toBe(true);
      const conversation = await page.locator('.session .scroller').boundingBox();
      expect(conversation?.height).toBeGreaterThan(height / 5);
    }
    await page.press('#prompt', 'Escape');
    await eventually(() => readState(page)).toBe('idle');
    hold.resolve();
  });

  test('stay after an abort', async () => {
    const { page, texts, hold } = await openQueue();
    await page.press('#prompt', 'Escape');
    await eventually(() => readState(page)).toBe('idle');
    expect(await texts()).toEqual(['first', 'second', 'third']);
    hold.resolve();
  });
});

describe('slash commands', () => {
  const userFiles = {
    'prompts/review.md': '---\ndescription: Review the change\n---\nReview $1 carefully.',
    'prompts/report.md': '---\ndescription: Write a report\n---\nReport on $1.',
  };

  test('are completed with the keyboard and sent', async () => {
    const server = await startPageServer({ userFiles });
    const { page } = await openSession(fixture, server);
    await page.locator('#prompt').pressSequentially('/re');
    const options = page.locator('[role=option]');
    await eventually(() => options.locator('code').allTextContents()).toEqual(['/report', '/review']);
    await page.press('#prompt', 'ArrowDown');
    await eventually(() => page.locator('[aria-selected=true] .description').textContent()).toContain(
      'Review the change',
    );
    await page.press('#prompt', 'Tab');
    expect(await page.inputValue('#prompt')).toBe('/review ');
    await page.locator('#prompt').pressSequentially('parser.ts');
    await page.press('#prompt', 'Enter');
    await page.locator('.prompt-message', { hasText: 'Review parser.ts carefully.' }).waitFor();
  });

  test('Escape closes the list and keeps the text', async () => {
    const server = await startPageServer({ userFiles });
    const { page } = await openSession(fixture, server);
    await page.locator('#prompt').pressSequentially('/rep');
    await page.locator('[role=option]').waitFor();
    await page.press('#prompt', 'Escape');
    await eventually(() => page.locator('[role=option]').count()).toBe(0);
    expect(await page.inputValue('#prompt')).toBe('/rep');
  });
});

describe('switches', () => {
  test('model, thinking level and permission mode change the session, and other pages follow', async () => {
    const server = await startPageServer();
    const { page, sessionId } = await openSession(fixture, server);
    const other = await openSession(fixture, server, { sessionId });
    await page.getByLabel('Thinking level').selectOption('high');
    await page.getByLabel('Permission mode').selectOption('ask');
    await eventually(() => other.page.getByLabel('Thinking level').inputValue()).toBe('high');
    await eventually(() => other.page.getByLabel('Permission mode').inputValue()).toBe('ask');
    await page.getByRole('button', { name: /^Model/ }).click();
    await page.getByLabel('Search models').fill('sma');
    await eventually(() => page.locator('[role=option] .name').allTextContents()).toEqual(['Small']);
    await page.keyboard.press('Enter');
    await eventually(() => page.getByRole('button', { name: /^Model/ }).textContent()).toBe('Small');
    await eventually(() => other.page.getByRole('button', { name: /^Model/ }).textContent()).toBe('Small');
    const { data } = (await server.call(sessionId, 'get_state')) as { data: Record<string, unknown> };
    expect(data).toMatchObject({ permissionMode: 'ask', model: { id: 'small' } });
  });

  test('another page sees the prompt and the answer, and who asked', async () => {
    const hold = createDeferred();
    const server = await startPageServer({
      script: { Shared: [{ text: ['Shared', ' answer'], until: hold.promise }] },
    });
    const { page, sessionId } = await openSession(fixture, server);
    const other = await openSession(fixture, server, { sessionId });
    await sendPrompt(page, 'Shared prompt');
    await other.page.locator('.prompt-message', { hasText: 'Shared prompt' }).waitFor();
    await eventually(() => readState(other.page)).toMatch(/^running, asked by page-/);
    await eventually(() => readState(page)).toBe('running');
    hold.resolve();
    await other.page.locator('.kind-text', { hasText: 'Shared answer' }).waitFor();
  });
});
