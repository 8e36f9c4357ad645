// Checks docs/troubleshooting.md: the built program must produce every message of the page.
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import {
  createDirectories,
  type ProgramDirectories,
  type ProgramExit,
  runProgram,
  startRpc,
} from '../support/program.ts';
import {
  createDirectoriesFor,
  RAW_ENV,
  type RespondFunction,
  startEventStream,
  startRawProvider,
} from '../support/raw-provider.ts';
import { startRecordingProvider } from '../support/recording-provider.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/troubleshooting.md', import.meta.url)), 'utf8');
/** The messages in the first columns of the tables. A message that contains backticks is written between two of them. */
const MESSAGES = [...page.matchAll(/^\| (?:`([^`]+ [^`]+)`|``(.+?)``) \|/gm)].map(
  ([, plain, quoting = '']) => plain ?? quoting,
);

const outputOf = ({ stdout, stderr }: ProgramExit) => `${stdout}${stderr}`;
const run = async (args: string[], programDirectories: ProgramDirectories = createDirectories(), env = {}) =>
  outputOf(await runProgram(args, '', { directories: programDirectories, env }));

async function sendLines(...lines: string[]): Promise<string> {
  return outputOf(await runProgram(['--mode', 'rpc', '--no-session'], lines.map((line) => `${line}\n`).join('')));
}

function withFile(name: string, text: string): ProgramDirectories {
  const directories = createDirectories();
  mkdirSync(join(directories.home, name, '..'), { recursive: true });
  writeFileSync(join(directories.home, name), text);
  return directories;
}

const TINY = { id: 'tiny', name: 'Tiny', contextWindow: 8000, maxTokens: 1000, reasoning: false, input: ['text'] };
const UNREACHABLE = { baseUrl: 'http://127.0.0.1:9', api: 'openai-completions', apiKey: 'none', models: [TINY] };
const REAL = ['--no-session', '--provider', 'anthropic', '--model', 'claude-sonnet-4-5', 'hi'];

async function runWithAnswer(setting: string, respondFunction: RespondFunction): Promise<string> {
  const { url } = await startRawProvider(respondFunction);
  const directories = createDirectoriesFor(`${url}/v1`, 'openai-completions');
  return run(['--no-session', '--provider', 'raw', '--set', setting, 'hi'], directories, RAW_ENV);
}

/** Produces a message, by the beginning of the message. */
const PRODUCERS: Readonly<Record<string, () => Promise<string>>> = {
  'Error: Unknown flag': () => run(['--colour', 'x']),
  'Error: Flag --thinking': () => run(['--thinking', 'loud', 'x']),
  'Error: No message': () => run([]),
  'Unknown tool in --exclude-tools': () => run(['--exclude-tools', 'wirte', 'x']),
  '…/settings.json:1: approval': () => run(['x'], withFile('settings.json', '{"approval": "alwyas"}')),
  '…/settings.json: line': () => run(['--no-session', 'say hi'], withFile('settings.json', '{"retry": oops}')),
  'The working directory': () => {
    const directories = createDirectories();
    const gone = join(directories.cwd, 'gone');
    mkdirSync(gone);
    const launcher = join(directories.home, 'launch.mjs');
    const leave = `process.chdir('${gone}'); (await import('node:fs')).rmdirSync('${gone}');`;
    writeFileSync(launcher, `${leave} process.argv.splice(1, 1); await import(process.argv[1]);`);
    return runProgram([inject('program'), 'hi'], '', { directories, program: launcher }).then(outputOf);
  },
  '…/settings.json: too many': () => {
    const directories = createDirectories();
    symlinkSync('settings.json', join(directories.home, 'settings.json'));
    return run(['hi'], directories);
  },
  'Working directory': () => run(['--cwd', '/project/nowhere', 'hi']),
  'Unknown dialect': () => run(['--mode', 'rpc', '--dialect', 'klingon']),
  'No provider key': () => run(['--no-session', 'say hi']),
  'No model can be used': () => run(['hi'], createDirectories(), { ANTHROPIC_API_KEY: '' }),
  'The offline model cannot': () => run(['--no-session', 'fix it']),
  'No API key': () => run(REAL),
  'The key of': () => run(REAL, createDirectories(), { ANTHROPIC_API_KEY: 'sk-one\ntwo' }),
  async '401 authentication_error'() {
    const error = { type: 'authentication_error', message: 'invalid x-api-key' };
    const provider = await startRecordingProvider([{ status: 401, body: JSON.stringify({ type: 'error', error }) }]);
    return run(REAL, createDirectories(), { ANTHROPIC_API_KEY: 'wrong', ANTHROPIC_BASE_URL: provider.url });
  },
  'Model not found': () => run(['--model', 'nope', 'hi']),
  'Connection error: connect': () =>
    run(
      ['--no-session', '--set', 'retry.enabled=false', '--model', 'tiny', 'hi'],
      withFile('models.json', JSON.stringify({ providers: { mine: UNREACHABLE } })),
    ),
  'Connection error: HTTPS_PROXY': () =>
    run(['--set', 'retry.enabled=false', ...REAL], createDirectories(), {
      HTTPS_PROXY: 'socks5://x',
      ANTHROPIC_API_KEY: 'none',
    }),
  'The provider sent no content': () =>
    runWithAnswer('http.idleTimeoutMs=1000', (response) => startEventStream(response)),
  'The provider sent an event': () =>
    runWithAnswer('retry.enabled=true', (response) => {
      startEventStream(response);
      response.end(`data: ${'a'.repeat(17 * 1024 * 1024)}`);
    }),
  'Connection error: The proxy': () =>
    run(['--set', 'retry.enabled=false', ...REAL], createDirectories(), {
      HTTPS_PROXY: 'http://127.0.0.1:9',
      ANTHROPIC_API_KEY: 'none',
    }),
  'Agent is already': () =>
    sendLines('{"id":"1","type":"prompt","message":"Run `sleep 1`"}', '{"id":"2","type":"prompt","message":"and?"}'),
  'Failed to parse': () => sendLines('nonsense'),
  'Unknown command': () => sendLines('{"id":"3","type":"fly"}'),
  'This project is not trusted': () => {
    const directories = createDirectories();
    mkdirSync(join(directories.cwd, '.pi/extensions'), { recursive: true });
    writeFileSync(join(directories.cwd, '.pi/extensions/a.ts'), 'export default () => {}');
    return run(['--no-session', 'say hi'], directories);
  },
  async 'Session is in use'() {
    const directories = createDirectories();
    const holder = startRpc([], { directories });
    await holder.call({ type: 'prompt', message: 'say hi' });
    await holder.nextFrame({ type: 'agent_settled' });
    const { data } = await holder.call({ type: 'get_state' });
    const { sessionFile } = data as { sessionFile: string };
    return run(['--session', sessionFile, 'hi'], directories);
  },
  'Session not found': () => run(['--session', 'zzz', 'hi']),
  'Not a session': () => {
    const directories = createDirectories();
    writeFileSync(join(directories.cwd, 'x.jsonl'), 'garbage\n');
    return run(['--session', 'x.jsonl', 'hi'], directories);
  },
  // A file has the name of the directory, so nothing can be written, as on a full disk.
  'Cannot write session file': () => run(['say hi'], withFile('sessions', '')),
  'other users can read': () => {
    const directories = withFile('auth.json', '{}');
    chmodSync(join(directories.home, 'auth.json'), 0o644);
    return run(['doctor'], directories);
  },
};
const CONFIRM_EXTENSION = `export default (pi) => pi.on('tool_call', async (_, { ui }) => {
  if (!(await ui.confirm('Sure?', 'Really'))) return { block: true, reason: 'no' };
});`;
test.each(MESSAGES)('%s', async (message) => {
  const produce = Object.entries(PRODUCERS).find(([beginning]) => message.startsWith(beginning))?.[1];
  expect(produce, 'no producer for this message of the page').toBeDefined();
  const parts = message.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  expect(await produce?.()).toMatch(new RegExp(parts.join('.+')));
});

test('each producer belongs to one message of the page', () => {
  const found = Object.keys(PRODUCERS).map((beginning) => MESSAGES.filter((one) => one.startsWith(beginning)).length);
  expect(found).toEqual(found.map(() => 1));
  expect(MESSAGES.length).toBe(Object.keys(PRODUCERS).length);
});

test('a dialog without an answer blocks the run until it is answered or ui.timeout expires', async () => {
  const directories = withFile('gate.mjs', CONFIRM_EXTENSION);
  const gate = join(directories.home, 'gate.mjs');
  const first = startRpc(['--no-session', '-e', gate], { directories });
  await first.call({ type: 'prompt', message: 'Run `true`' });
  const { id } = await first.nextFrame({ type: 'extension_ui_request', method: 'confirm' });
  const { data } = await first.call({ type: 'get_state' });
  expect(data).toMatchObject({ isStreaming: true });
  first.send({ type: 'extension_ui_response', id, confirmed: true });
  await first.nextFrame({ type: 'agent_settled' });
  const waiting = startRpc(['--no-session', '-e', gate, '--set', 'ui.timeout=50'], { directories });
  await waiting.call({ type: 'prompt', message: 'Run `true`' });
  await waiting.nextFrame({ type: 'extension_ui_request', method: 'confirm' });
  await waiting.nextFrame({ type: 'agent_settled' });
});
