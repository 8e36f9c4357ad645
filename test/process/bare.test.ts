// `--bare`: no file of the user or the project changes what is sent to the model or what runs. `--mode rpc-ui`: the model can ask.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { CHAT_MODEL_FLAGS, startChatProvider } from '../support/chat-provider.ts';
import { runProgram, startRpc } from '../support/program.ts';

const USER_FILES = {
  'settings.json': '{"todo.enabled":true}',
  'AGENTS.md': 'USER-CONTEXT',
  'SYSTEM.md': 'USER-SYSTEM',
  'APPEND_SYSTEM.md': 'USER-APPEND',
  'prompts/review.md': 'USER-TEMPLATE',
  'skills/tidy/SKILL.md': '---\nname: tidy\ndescription: USER-SKILL\n---\nTidy.',
  'agents/helper.md': '---\nname: helper\ndescription: USER-AGENT\n---\nHelp.',
};

async function createProject() {
  const provider = await startChatProvider();
  const directories = provider.createDirectories();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const [name, text] of Object.entries(USER_FILES)) write(join(directories.home, name), text);
  const marker = join(directories.cwd, 'ran');
  write(
    join(directories.home, 'extensions/run.ts'),
    `import { writeFileSync } from 'node:fs';\nexport default () => writeFileSync(${JSON.stringify(marker)}, '');\n`,
  );
  write(join(directories.cwd, 'AGENTS.md'), 'PROJECT-CONTEXT');
  return { provider, directories, marker };
}

const ALL_WORDS = /USER-\w+|PROJECT-CONTEXT/g;

test('without --bare the files are used, with --bare none of them', async () => {
  const { provider, directories, marker } = await createProject();
  const run = (...flags: string[]) => runProgram([...CHAT_MODEL_FLAGS, ...flags, '-p', 'Go'], '', { directories });
  expect((await run('--bare')).code).toBe(0);
  const bare = JSON.stringify(provider.requests[0]);
  expect(bare.match(ALL_WORDS)).toBeNull();
  expect(bare).not.toContain('todo_write');
  expect(existsSync(marker)).toBe(false);
  expect((await run()).code).toBe(0);
  const usual = JSON.stringify(provider.requests[1]);
  expect([...new Set(usual.match(ALL_WORDS))].sort()).toEqual(
    ['PROJECT-CONTEXT', 'USER-AGENT', 'USER-APPEND', 'USER-CONTEXT', 'USER-SKILL', 'USER-SYSTEM'].sort(),
  );
  expect(usual).toContain('todo_write');
  expect(existsSync(marker)).toBe(true);
});

test('flags still apply to a bare run, but --trust is refused', async () => {
  const { provider, directories } = await createProject();
  const skill = join(directories.home, 'skills/tidy');
  const flags = [...CHAT_MODEL_FLAGS, '--bare', '--skill', skill, '--set', 'todo.enabled=true'];
  expect((await runProgram([...flags, '-p', 'Go'], '', { directories })).code).toBe(0);
  const sent = JSON.stringify(provider.requests[0]);
  expect([sent.match(ALL_WORDS), sent.includes('todo_write')]).toEqual([['USER-SKILL'], true]);
  const { code, stderr } = await runProgram([...flags, '--trust', '-p', 'Go'], '', { directories });
  expect([code, stderr]).toEqual([2, expect.stringContaining('--trust and --bare exclude each other')]);
});

test('--mode rpc-ui offers the model the ask tool, and --no-ui contradicts it', async () => {
  const { provider, directories } = await createProject();
  provider.add({ calls: [{ name: 'ask', arguments: { question: 'Which?', choices: ['a', 'b'] } }] });
  const program = startRpc([...CHAT_MODEL_FLAGS, '--mode', 'rpc-ui'], { directories });
  program.send({ type: 'prompt', message: 'Go' });
  const { id } = await program.nextFrame({ type: 'extension_ui_request', method: 'select' });
  program.send({ type: 'extension_ui_response', id, value: 'b' });
  expect(await program.nextFrame({ type: 'tool_execution_end' })).toMatchObject({ toolName: 'ask', isError: false });
  await program.nextFrame({ type: 'session_settled' });
  program.stdin.end();
  expect((await program.exited).code).toBe(0);
  const { code, stderr } = await runProgram(['--mode', 'rpc-ui', '--no-ui'], '', { directories });
  expect([code, stderr]).toEqual([2, expect.stringContaining('--mode rpc-ui and --no-ui exclude each other')]);
});
