// The panels of the page: branch tree, usage, frames and subagents.
import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { runScenario } from '../../src/testing/index.ts';
import { createDirectories } from '../support/program.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { browser, eventually } from './chromium.ts';
import { openSession, readState, runPrompt, sendPrompt, startPageServer } from './page-fixture.ts';

const fixture = browser();

const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };
const readClipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
const LONG_TITLE = 'A description that is too long for one line of the panel at the side of the page';
const openPanel = (page: Page, name: RegExp) => page.getByRole('button', { name }).click();

describe('the branch tree', () => {
  test('a row continues the conversation after it, and a new prompt begins a branch', async () => {
    const server = await startPageServer();
    const { page, sessionId } = await openSession(fixture, server);
    const other = await openSession(fixture, server, { sessionId });
    for (const text of ['First', 'Second', 'Third']) await runPrompt(page, text);
    await openPanel(page, /^Branches/);
    const rows = page.locator('.tree-row');
    await eventually(() => rows.count()).toBe(3);
    await eventually(() => page.locator('.tree-row.leaf').getAttribute('aria-label')).toContain('Third');
    await rows.filter({ hasText: 'First' }).click();
    const prompts = (at: Page) => at.locator('.prompt-message').allTextContents();
    await eventually(() => prompts(page)).toEqual(['First']);
    await eventually(() => prompts(other.page)).toEqual(['First']);
    await runPrompt(page, 'Another way');
    await eventually(() => rows.count()).toBe(4);
    await eventually(() => page.locator('.tree-row.on-path').count()).toBe(2);
    // Back with the keyboard.
    await rows.filter({ hasText: 'Third' }).focus();
    await page.keyboard.press('Enter');
    await eventually(() => prompts(page)).toEqual(['First', 'Second', 'Third']);
    // Only the current row is bold.
    const listBold = (texts: Element[]) =>
      texts.filter((text) => getComputedStyle(text).fontWeight === '600').map((text) => text.textContent);
    await eventually(() => rows.locator('.text').evaluateAll(listBold)).toEqual(['Third']);
  });

  test('all rows of the path have one colour, and the others another one', async () => {
    const server = await startPageServer();
    const { page } = await openSession(fixture, server);
    await runPrompt(page, 'First');
    await openPanel(page, /^Branches/);
    const rows = page.locator('.tree-row');
    for (const text of ['Red', 'Green', 'Blue']) {
      await rows.filter({ hasText: 'First' }).click();
      await eventually(() => page.locator('.prompt-message').allTextContents()).toEqual(['First']);
      await runPrompt(page, text);
      await runPrompt(page, `${text} again`);
      await page.locator('.tree-row.leaf', { hasText: `${text} again` }).waitFor();
    }
    const listColours = (all: Element[]) =>
      new Set(
        all.map((row) => {
          const { color } = getComputedStyle(row.querySelector('.text') as Element);
          return `${row.classList.contains('on-path')} ${color}`;
        }),
      ).size;
    await eventually(() => rows.count()).toBe(7);
    expect(await rows.evaluateAll(listColours)).toBe(2);
  });

  test('with Shift a prompt is changed: the conversation continues before it', async () => {
    const server = await startPageServer();
    const { page } = await openSession(fixture, server);
    await runPrompt(page, 'First');
    await runPrompt(page, 'Second');
    await openPanel(page, /^Branches/);
    await page.fill('#prompt', 'not sent');
    await page.locator('.tree-row', { hasText: 'Second' }).click({ modifiers: ['Shift'] });
    await eventually(() => page.locator('.prompt-message').allTextContents()).toEqual(['First']);
    await eventually(() => page.inputValue('#prompt')).toBe('Second\n\nnot sent');
    await page.press('#prompt', 'Enter');
    await eventually(() => page.locator('.tree-row').count()).toBe(3);
  });
});

test('the chart shows tokens, context and cost of every turn', async () => {
  const server = await startPageServer({ script: { One: [{ input: 2000 }], Two: [{ input: 5000 }] } });
  const { page } = await openSession(fixture, server);
  await runPrompt(page, 'One');
  await runPrompt(page, 'Two');
  await openPanel(page, /^Usage/);
  await eventually(() => page.locator('.chart .bar').count()).toBe(2);
  await eventually(() => page.locator('.chart polyline').count()).toBe(2);
  expect(await page.locator('.chart').getAttribute('aria-label')).toBe('Usage: 2 turns, 7,200 tokens, $0.07');
  await page.getByText('As a table').click();
  const rows = await page
    .locator('.usage-table tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)));
  expect(rows).toEqual([
    ['1', '2,100', '2,100', '$0.02', '$0.02'],
    ['2', '5,100', '5,100', '$0.05', '$0.07'],
  ]);
  await page.locator('.context-use', { hasText: 'system prompt' }).waitFor();
  await eventually(() => page.locator('.session-facts').textContent()).toContain('$0.07');
});

test('a prompt right after a change of the branch is answered once, and the cost counts all branches', async () => {
  const server = await startPageServer();
  const { page } = await openSession(fixture, server);
  await runPrompt(page, 'First');
  await runPrompt(page, 'Second');
  await openPanel(page, /^Branches/);
  for (const text of ['Third', 'Fourth', 'Fifth']) {
    await page.locator('.tree-row', { hasText: 'First' }).click();
    await eventually(() => page.locator('.prompt-message').allTextContents()).toEqual(['First']);
    await runPrompt(page, text);
    expect(await page.locator('.kind-text').allTextContents()).toEqual(['Answer to: First', `Answer to: ${text}`]);
    await page.locator('.tree-row.leaf', { hasText: text }).waitFor();
  }
  // Five answers, two of them on this branch.
  await eventually(() => page.locator('.session-facts .fact').first().textContent()).toBe('$0.06');
  await eventually(() => page.locator('.session-item .session-cost').textContent()).toBe('$0.06');
});

describe('frames', () => {
  test('are filtered by text, direction and type, and can be paused', async () => {
    const server = await startPageServer();
    const { page } = await openSession(fixture, server);
    await openPanel(page, /^Frames/);
    await runPrompt(page, 'Needle');
    const types = () => page.locator('.frame-type').allTextContents();
    await page.getByLabel('Filter frames by text').fill('needle');
    await page.getByLabel('Direction').selectOption('out');
    await eventually(types).toEqual(['prompt']);
    await page.getByLabel('Direction').selectOption('in');
    await page.getByLabel('Filter frames by text').fill('');
    await page.getByLabel('Type').selectOption('agent_settled');
    await eventually(types).toEqual(['agent_settled']);
    await page.getByRole('button', { name: 'Pause' }).click();
    await runPrompt(page, 'While paused');
    expect(await types()).toEqual(['agent_settled']);
    await page.getByRole('button', { name: 'Continue' }).click();
    await eventually(types).toEqual(['agent_settled', 'agent_settled']);
    await page.getByRole('button', { name: 'Clear' }).click();
    await eventually(types).toEqual([]);
  });

  test('a sent frame is copied as a curl command that has the same effect', async () => {
    const server = await startPageServer();
    const { page, sessionId } = await openSession(fixture, server, CLIPBOARD);
    await runPrompt(page, "It's a test");
    await openPanel(page, /^Frames/);
    await page.getByLabel('Type').selectOption('prompt');
    await page.locator('.frame-row').click();
    await page.getByRole('button', { name: 'Copy as a curl command' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const command = await readClipboard(page);
    expect(command).toContain(`/v1/sessions/${sessionId}/commands/prompt`);
    expect(command).not.toContain(server.token);
    const reply = execFileSync('sh', ['-c', command], { env: { PATH: process.env.PATH, PARLEY_TOKEN: server.token } });
    expect(JSON.parse(reply.toString())).toMatchObject({ success: true });
    await eventually(() => page.locator('.prompt-message', { hasText: "It's a test" }).count()).toBe(2);
  });

  test('the frames of an exchange are copied as a transcript that can be run', async () => {
    const calls = [{ name: 'bash', arguments: { command: 'echo done' } }];
    const server = await startPageServer({ script: { Work: [{ thinking: 'Hm.', text: 'Working.', calls }] } });
    const { page } = await openSession(fixture, server, CLIPBOARD);
    await openPanel(page, /^Frames/);
    await page.getByRole('button', { name: 'Clear' }).click();
    await runPrompt(page, 'Work');
    await page.getByRole('button', { name: 'Copy the shown frames as a transcript' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const transcript = await readClipboard(page);
    expect(transcript).toContain('model {"thinking":"Hm.","text":"Working.","calls":[');
    await runScenario(transcript, { directory: createTemporaryDirectory(), dialect: 'omp', file: 'copied.txt' });
  });
});

/** A project in git, which isolated subagents need. */
function createRepository() {
  const directories = createDirectories();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], {
      cwd: directories.cwd,
      env: { PATH: process.env.PATH, HOME: directories.home, GIT_CONFIG_NOSYSTEM: '1' },
    });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'state');
  return directories;
}

describe('subagents', () => {
  const task = (fields: object) => ({ name: 'task', arguments: { agent: 'task', ...fields } });

  test('are panes with their state and their own conversation, live and after a reload', async () => {
    const hold = createDeferred();
    const tasks = [
      { id: 'Alpha', description: 'The first one', assignment: 'Look at alpha' },
      { id: 'Beta', description: 'The second one', assignment: 'Look at beta' },
    ];
    const script = {
      Delegate: [{ calls: [task({ tasks })] }],
      'Look at alpha': [{ text: ['Alpha is', ' fine.'], until: hold.promise }],
      'Look at beta': [{ text: 'Beta is fine.' }],
    };
    const server = await startPageServer({ script });
    const { page } = await openSession(fixture, server);
    await sendPrompt(page, 'Delegate');
    const pane = (id: string) => page.getByRole('region', { name: new RegExp(`^Subagent ${id},`) });
    await eventually(() => pane('Beta').locator('.status').first().textContent()).toBe('completed');
    await eventually(() => pane('Alpha').locator('.status').first().textContent()).toBe('running');
    await pane('Alpha').locator('.subagent-head').click();
    await pane('Alpha').locator('.nested', { hasText: 'Alpha is' }).waitFor();
    hold.resolve();
    await pane('Alpha').locator('.nested', { hasText: 'Alpha is fine.' }).waitFor();
    await eventually(() => readState(page)).toBe('idle');
    await page.reload();
    await pane('Beta').locator('.subagent-head').click();
    await pane('Beta').locator('.nested', { hasText: 'Beta is fine.' }).waitFor();
    await pane('Beta').locator('.prompt-message', { hasText: 'Look at beta' }).waitFor();
    // On a phone, the description has a line of its own.
    await page.setViewportSize({ width: 390, height: 800 });
    await pane('Alpha').getByText('The first one').waitFor();
  });

  test('show the verification of their work', async () => {
    const verify = {
      commands: [
        { name: 'check', command: 'test -e made.txt' },
        { name: 'lint', command: 'echo bad; false' },
      ],
    };
    const script = {
      Isolated: [
        {
          calls: [
            task({
              isolated: true,
              tasks: [{ id: 'Maker', description: LONG_TITLE, assignment: 'Make a file' }],
              verify,
            }),
          ],
        },
      ],
      'Make a file': [{ calls: [{ name: 'write', arguments: { path: 'made.txt', content: 'x' } }] }],
    };
    const flags = ['--set', 'task.verification.enabled=true', '--set', 'task.verification.maxRetries=0'];
    const server = await startPageServer({ script, flags, directories: createRepository() });
    const { page } = await openSession(fixture, server);
    await runPrompt(page, 'Isolated');
    const commands = page.locator('.verification').first().locator('li');
    await eventually(() => commands.filter({ hasText: 'check' }).getAttribute('class')).toBe('passed');
    await eventually(() => commands.filter({ hasText: 'lint' }).getAttribute('class')).toBe('failed');
    const panel = page.locator('.side-panel .subagent', { hasText: 'Maker' });
    await openPanel(page, /^Subagents/);
    await panel.waitFor();
    // Subagents that have ended are listed after a reload, too, with their verification.
    await page.reload();
    await openPanel(page, /^Subagents/);
    await eventually(() => panel.locator('.verification li').allTextContents()).toEqual([
      expect.stringContaining('check'),
      expect.stringContaining('bad'),
    ]);
    await eventually(() => page.locator('.conversation .verification').count()).toBe(1);
    // Nothing is wider than the panel.
    const isInside = (pane: Element) => pane.scrollWidth <= (pane.closest('.panel-body')?.clientWidth ?? 0);
    expect(await panel.evaluate(isInside)).toBe(true);
  });
});
