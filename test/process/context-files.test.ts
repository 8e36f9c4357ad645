// Context files that are links, or that every user can write, are not sent to the model.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { KEY, startAnthropicMessages } from '../llm/servers/anthropic-messages.ts';
import { createDirectories, runProgram, startRpc } from '../support/program.ts';

const FLAGS = ['--model', 'anthropic/claude-sonnet-4-5', '--thinking', 'off'];

async function createProject() {
  const server = await startAnthropicMessages();
  onTestFinished(() => server.close());
  const outer = createDirectories();
  const at = { ...outer, cwd: join(outer.cwd, 'inner') };
  mkdirSync(at.cwd);
  chmodSync(outer.cwd, 0o777);
  writeFileSync(join(outer.cwd, 'AGENTS.md'), 'WORDS-OF-OTHERS');
  writeFileSync(
    join(at.home, 'models.json'),
    '{"providers":{"x":{"baseUrl":"http://127.0.0.1:9/","apiKey":"KEY-IN-FILE"}}}',
  );
  symlinkSync(join(at.home, 'models.json'), join(at.cwd, 'AGENTS.md'));
  // The file of the user may be a link.
  writeFileSync(join(at.home, 'mine.md'), 'WORDS-OF-THE-USER');
  symlinkSync('mine.md', join(at.home, 'AGENTS.md'));
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
  server.reply({ answer: { parts: [{ text: 'Done.' }] } }, { answer: { parts: [{ text: 'Done.' }] } });
  return { at, outer, server, env };
}

test('in RPC mode: one notice per file, and no content of them in any request', async () => {
  const { at, outer, server, env } = await createProject();
  const program = startRpc(FLAGS, { directories: at, env });
  for (const message of ['one', 'two']) {
    program.send({ type: 'prompt', message });
    await program.nextFrame({ type: 'agent_settled' });
  }
  const notices = program.frames.filter(({ type, source }) => type === 'notice' && source === 'context');
  expect(notices.map(({ message }) => message)).toEqual([
    `${outer.cwd}/AGENTS.md is not used: ${outer.cwd} can be written by every user. Change owner or mode to use it.`,
    `${at.cwd}/AGENTS.md is not used: it is a link to ${at.home}/models.json, outside ${at.cwd}. Replace the link with a copy to use it.`,
  ]);
  const sent = JSON.stringify(server.received.map(({ body }) => body));
  expect(sent).toContain('WORDS-OF-THE-USER');
  expect(sent).not.toMatch(/KEY-IN-FILE|WORDS-OF-OTHERS/);
});

test('in text mode: one line on stderr per file', async () => {
  const { at, server, env } = await createProject();
  const { code, stderr } = await runProgram([...FLAGS, 'one'], '', { directories: at, env });
  expect([code, stderr.match(/AGENTS\.md is not used/g)?.length]).toEqual([0, 2]);
  expect(JSON.stringify(server.received[0]?.body)).not.toMatch(/KEY-IN-FILE|WORDS-OF-OTHERS/);
});
