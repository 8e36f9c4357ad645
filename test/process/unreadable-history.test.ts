// Content that providers always reject: invalid images and invalid tool names.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Program, type ProgramDirectories, startRpc } from '../support/program.ts';
import {
  createChatAnswer,
  createDirectoriesFor,
  RAW_ENV,
  type RawProvider,
  type RespondFunction,
  startRawProvider,
} from '../support/raw-provider.ts';

const API = 'openai-completions';
const hello = createChatAnswer({ content: 'Hello.' });
const HTML = Buffer.from('<!DOCTYPE html><p>404').toString('base64');
const NOT_AN_IMAGE = '[An image was left out: it is not a PNG, JPEG, GIF or WebP image.]';

interface WireMessage {
  role: string;
  content: unknown;
  tool_calls?: { id: string; function: { name: string } }[];
}

async function startProgram(
  answers: RespondFunction[],
  args: string[] = [],
  before: (programDirectories: ProgramDirectories) => void = () => {},
) {
  const provider = await startRawProvider(...answers);
  const directories = createDirectoriesFor(`${provider.url}/v1`, API);
  before(directories);
  return { provider, program: startRpc(['--provider', 'raw', ...args], { directories, env: RAW_ENV }) };
}

async function sendPrompt(program: Program, message: string, images?: readonly object[]) {
  const reply = await program.call({ type: 'prompt', message, ...(images ? { images } : {}) });
  if (reply.success) await program.nextFrame({ type: 'agent_settled' });
  return reply;
}

function lastMessages({ requests }: RawProvider): WireMessage[] {
  return requests.at(-1)?.messages as WireMessage[];
}

function toolCallAnswer(name: string): RespondFunction {
  return createChatAnswer(
    { tool_calls: [{ index: 0, id: 'call_1', function: { name, arguments: '{}' } }] },
    'tool_calls',
  );
}

test('a prompt with an invalid image is rejected, and the next prompt is answered', async () => {
  const { provider, program } = await startProgram([hello]);
  const image = (data: string) => [{ type: 'image', data, mimeType: 'image/png' }];
  expect(await sendPrompt(program, 'look', image('!!!notbase64'))).toMatchObject({
    success: false,
    error: 'images[0].data is not base64. Send a PNG, JPEG, GIF or WebP image in base64.',
  });
  expect(await sendPrompt(program, 'look', image(HTML))).toMatchObject({
    success: false,
    error: expect.stringMatching(/^images\[0\]\.data is not a PNG, JPEG, GIF or WebP image/),
  });
  expect(provider.requests).toHaveLength(0);
  expect(await sendPrompt(program, 'look', image('data:image/webp;base64,iVBORw0KGgo='))).toMatchObject({
    success: true,
  });
  expect(lastMessages(provider).at(-1)?.content).toEqual([
    { type: 'text', text: 'look' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
  ]);
});

test('an image above the limit of the model is rejected before a request', async () => {
  const provider = await startRawProvider(hello);
  const directories = createDirectoriesFor(provider.url, 'anthropic-messages', {}, { id: 'claude-x' });
  const program = startRpc(['--provider', 'raw', '--no-session'], { directories, env: RAW_ENV });
  const data = `iVBORw0KGgoA${'A'.repeat(6 * 1024 * 1024)}`;
  expect(await sendPrompt(program, 'look', [{ type: 'image', data, mimeType: 'image/png' }])).toMatchObject({
    success: false,
    error: expect.stringMatching(/^images\[0\]\.data has 6\.0 MiB in base64, and raw\/claude-x takes at most 5 MiB/),
  });
  expect(provider.requests).toHaveLength(0);
});

test('a session with invalid images and tool names can be resumed', async () => {
  const usage = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  const image = { type: 'image', data: HTML, mimeType: 'image/png' };
  const answer = {
    role: 'assistant',
    api: API,
    provider: 'raw',
    model: 'm',
    usage,
    stopReason: 'toolUse',
    timestamp: 2,
  };
  const content = [{ type: 'toolCall', id: 'c1', name: 'ba sh', arguments: {} }];
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'look' }, image], timestamp: 1 },
    { ...answer, content },
    { role: 'toolResult', toolCallId: 'c1', toolName: 'ba sh', content: [image], isError: false, timestamp: 3 },
  ];
  let file = '';
  const { provider, program } = await startProgram([hello], ['--session', 'old.jsonl'], ({ cwd }) => {
    const timestamp = '2026-01-01T00:00:00.000Z';
    const header = { type: 'session', version: 3, id: '01234567-89ab-cdef-0123-456789abcdef', timestamp, cwd };
    const entries = messages.map((message, n) => ({
      type: 'message',
      id: `000000${n}a`,
      parentId: n === 0 ? null : `000000${n - 1}a`,
      timestamp,
      message,
    }));
    file = join(cwd, 'old.jsonl');
    writeFileSync(file, [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(''));
  });
  expect(await sendPrompt(program, 'go on')).toMatchObject({ success: true });
  const sent = lastMessages(provider);
  expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
  expect(sent[1]?.content).toBe(`look\n${NOT_AN_IMAGE}`);
  expect(sent[2]?.tool_calls?.[0]?.function.name).toMatch(/^ba_sh_\w+$/);
  expect(sent[3]?.content).toBe(NOT_AN_IMAGE);
  // The session file is not changed.
  expect(readFileSync(file, 'utf8')).toContain(HTML);
});

test.each(['ba sh', 'functions.bash<|channel|>commentary', 'x'.repeat(300), '🎉'])(
  'a call of the tool %j is answered, and later requests are valid',
  async (name) => {
    const { provider, program } = await startProgram([toolCallAnswer(name), hello]);
    await sendPrompt(program, 'one');
    await sendPrompt(program, 'two');
    const names = lastMessages(provider).flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function.name));
    expect(names).toEqual([expect.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/)]);
    // The history has the original name.
    const { data } = await program.call({ type: 'get_messages' });
    const { messages } = data as { messages: { role: string; toolName?: string; content: { name?: string }[] }[] };
    expect(messages.find(({ role }) => role === 'toolResult')?.toolName).toBe(name);
    expect(messages.find(({ role }) => role === 'assistant')?.content[0]?.name).toBe(name);
  },
);

const EXTENSION = `export default (pi) => {
  pi.registerTool({
    name: 'take shot',
    label: 'x',
    description: 'x',
    parameters: { type: 'object', properties: {} },
    execute: async () => ({ content: [{ type: 'image', data: ${JSON.stringify(HTML)}, mimeType: 'image/png' }] }),
  });
  pi.registerCommand('say', {
    handler: async () => pi.sendUserMessage([
      { type: 'text', text: 'from an extension' },
      { type: 'image', data: '!!!', mimeType: 'image/png' },
    ]),
  });
};`;

test('tools and messages of extensions: valid names, and notes instead of invalid images', async () => {
  const callOffered: RespondFunction = (response, body) => {
    const tools = body.tools as { function: { name: string } }[];
    const { name = '' } = tools.find((tool) => tool.function.name.startsWith('take_shot'))?.function ?? {};
    toolCallAnswer(name)(response, body);
  };
  const { provider, program } = await startProgram([callOffered, hello], ['-e', 'x.mjs'], ({ cwd }) => {
    writeFileSync(join(cwd, 'x.mjs'), EXTENSION);
  });
  await sendPrompt(program, 'shoot');
  const offered = provider.requests[0]?.tools as { function: { name: string } }[];
  expect(offered.filter((tool) => !/^[a-zA-Z0-9_-]{1,64}$/.test(tool.function.name))).toEqual([]);
  expect(program.frames.find(({ type }) => type === 'tool_execution_start')).toMatchObject({ toolName: 'take shot' });
  expect(lastMessages(provider).at(-1)).toMatchObject({ role: 'tool', content: NOT_AN_IMAGE });
  await program.call({ type: 'prompt', message: '/say' });
  await program.nextFrame({ type: 'agent_settled' });
  expect(lastMessages(provider).at(-1)).toMatchObject({
    role: 'user',
    content: 'from an extension\n\n[An image was left out: it is not base64.]',
  });
});

test('a host tool that returns HTML as an image', async () => {
  const { provider, program } = await startProgram([toolCallAnswer('shot'), hello]);
  const parameters = { type: 'object', properties: {} };
  const tools = [{ name: 'shot', description: 'x', parameters }];
  expect(await program.call({ type: 'set_host_tools', tools })).toMatchObject({ success: true });
  program.send({ type: 'prompt', message: 'shoot' });
  const { id } = await program.nextFrame({ type: 'host_tool_call' });
  const content = [{ type: 'image', data: HTML, mimeType: 'image/png' }];
  program.send({ type: 'host_tool_result', id, result: { content } });
  await program.nextFrame({ type: 'agent_settled' });
  expect(lastMessages(provider).at(-1)).toMatchObject({ role: 'tool', content: NOT_AN_IMAGE });
});

test('an HTML file named .png is sent as text, by mention and by the read tool', async () => {
  const read = createChatAnswer(
    { tool_calls: [{ index: 0, id: 'c', function: { name: 'read', arguments: '{"path":"a/fake.png"}' } }] },
    'tool_calls',
  );
  const { provider, program } = await startProgram([read, hello], [], ({ cwd }) => {
    mkdirSync(join(cwd, 'a'));
    writeFileSync(join(cwd, 'a/fake.png'), '<!DOCTYPE html>');
  });
  await sendPrompt(program, 'What is @a/fake.png ?');
  const [, prompt, , result] = lastMessages(provider);
  expect(prompt?.content).toContain('<!DOCTYPE html>');
  expect(result).toMatchObject({ role: 'tool', content: '<!DOCTYPE html>' });
});
