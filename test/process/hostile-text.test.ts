// Texts on which parsers could hang, in the built program: it keeps answering, and the texts are not lost.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories, runProgram, startRpc } from '../support/program.ts';

const DENSE = '*a_'.repeat(6666);
const BRACKETS = '['.repeat(50_000);

test('abort is answered while find matches a pattern with many stars', async () => {
  const directories = createDirectories();
  writeFileSync(join(directories.cwd, 'a'.repeat(200)), '');
  const program = startRpc(['--no-session'], { directories });
  program.send({ type: 'prompt', message: 'find files named "*a*a*a*a*a*a*a*ab"' });
  await program.nextFrame({ type: 'tool_execution_start', toolName: 'find' });
  expect(await program.call({ type: 'abort' })).toMatchObject({ success: true });
  expect(await program.call({ type: 'get_state' })).toMatchObject({ success: true });
});

test('find with a pattern with many stars ends', async () => {
  const directories = createDirectories();
  writeFileSync(join(directories.cwd, `${'a'.repeat(200)}b`), '');
  const program = startRpc(['--no-session'], { directories });
  program.send({ type: 'prompt', message: 'find files named "*a*a*a*a*a*a*a*ab"' });
  const { result } = await program.nextFrame({ type: 'tool_execution_end', toolName: 'find' });
  expect(JSON.stringify(result)).toContain(`${'a'.repeat(200)}b`);
});

test('a prompt with a mention of 50,000 dots is answered', async () => {
  const program = startRpc(['--no-session']);
  program.send({ type: 'prompt', message: `@${'.'.repeat(50_000)}a` });
  await program.nextFrame({ type: 'agent_settled' });
  expect(await program.call({ type: 'get_state' })).toMatchObject({ success: true });
});

/** A session file whose assistant messages have these texts. */
function sessionOf(texts: readonly string[]): string {
  const usage = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  const header = { type: 'session', version: 3, id: 'hostile-text', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/' };
  const entries = texts.map((text, at) => ({
    type: 'message',
    id: `0000000${at}`,
    parentId: at === 0 ? null : `0000000${at - 1}`,
    timestamp: '2026-01-01T00:00:00.000Z',
    message: {
      role: 'assistant',
      content: [{ type: 'text', text }],
      api: 'x',
      provider: 'x',
      model: 'x',
      usage,
      stopReason: 'stop',
      timestamp: 0,
    },
  }));
  return [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

test('an exported page has every text, and formats those that render in time', async () => {
  const directories = createDirectories();
  const code = `\`\`\`markdown\n${BRACKETS}\n\`\`\``;
  const nested = `${'> '.repeat(20_000)}deep`;
  const item = `- ${'   a\n'.repeat(20_000)}`;
  writeFileSync(join(directories.cwd, 's.jsonl'), sessionOf(['a **bold** word', DENSE, code, nested, item, '`last`']));
  const { code: exit, stderr } = await runProgram(['export', 's.jsonl', 'page.html'], '', { directories });
  expect([exit, stderr]).toEqual([0, '']);
  const page = readFileSync(join(directories.cwd, 'page.html'), 'utf8');
  expect(page).toContain('<strong>bold</strong>');
  expect(page).toContain(DENSE);
  expect(page).toContain(BRACKETS);
  expect(page).toContain('deep');
  expect(page.split('   a\n').length + page.split('\na').length).toBeGreaterThan(10_000);
  expect(page).toContain('last');
});

test('other commands are answered during an export', async () => {
  const directories = createDirectories();
  const file = join(directories.cwd, 's.jsonl');
  writeFileSync(file, sessionOf([DENSE, 'a **bold** word']));
  const program = startRpc(['--session', file], { directories });
  program.send({ id: 'page', type: 'export_html', outputPath: join(directories.cwd, 'page.html') });
  expect(await program.call({ type: 'get_state' })).toMatchObject({ success: true });
  expect(await program.nextFrame({ id: 'page' })).toMatchObject({ success: true });
  const page = readFileSync(join(directories.cwd, 'page.html'), 'utf8');
  expect(page).toContain(DENSE);
  expect(page).toContain('<strong>bold</strong>');
});
