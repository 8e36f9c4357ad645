// Checks docs/troubleshooting.md: the built program must produce every message of the page.
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { newPlace, type Outcome, type Place, runProgram, startRpc } from '../support/program.ts';
import { type Answer, placeFor, RAW_ENV, startRawProvider, streamHead } from '../support/raw-provider.ts';
import { startRecordingProvider } from '../support/recording-provider.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/troubleshooting.md', import.meta.url)), 'utf8');
/** The messages in the first columns of the tables. */
const MESSAGES = [...page.matchAll(/^\| `([^`]+ [^`]+)` \|/gm)].map(([, sentence = '']) => sentence);

const outputOf = ({ stdout, stderr }: Outcome) => `${stdout}${stderr}`;
const run = async (args: string[], place: Place = newPlace(), env = {}) =>
  outputOf(await runProgram(args, '', { place, env }));

async function sendLines(...lines: string[]): Promise<string> {
  return outputOf(await runProgram(['--mode', 'rpc', '--no-session'], lines.map((line) => `${line}\n`).join('')));
}

function withFile(name: string, text: string): Place {
  const place = newPlace();
  mkdirSync(join(place.home, name, '..'), { recursive: true });
  writeFileSync(join(place.home, name), text);
  return place;
}

const TINY = { id: 'tiny', name: 'Tiny', contextWindow: 8000, maxTokens: 1000, reasoning: false, input: ['text'] };
const UNREACHABLE = { baseUrl: 'http://127.0.0.1:9', api: 'openai-completions', apiKey: 'none', models: [TINY] };
const REAL = ['--no-session', '--provider', 'anthropic', '--model', 'claude-sonnet-4-5', 'hi'];

async function runWithAnswer(setting: string, answer: Answer): Promise<string> {
  const { url } = await startRawProvider(answer);
  const place = placeFor(`${url}/v1`, 'openai-completions');
  return run(['--no-session', '--provider', 'raw', '--set', setting, 'hi'], place, RAW_ENV);
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
    const place = newPlace();
    const gone = join(place.cwd, 'gone');
    mkdirSync(gone);
    const launcher = join(place.home, 'launch.mjs');
    const leave = `process.chdir('${gone}'); (await import('node:fs')).rmdirSync('${gone}');`;
    writeFileSync(launcher, `${leave} process.argv.splice(1, 1); await import(process.argv[1]);`);
    return runProgram([inject('program'), 'hi'], '', { place, program: launcher }).then(outputOf);
  },
  '…/settings.json: too many': () => {
    const place = newPlace();
    symlinkSync('settings.json', join(place.home, 'settings.json'));
    return run(['hi'], place);
  },
  'Working directory': () => run(['--cwd', '/project/nowhere', 'hi']),
  'Unknown dialect': () => run(['--mode', 'rpc', '--dialect', 'klingon']),
  'No provider key': () => run(['--no-session', 'say hi']),
  'No model can be used': () => run(['hi'], newPlace(), { ANTHROPIC_API_KEY: '' }),
  'The offline model cannot': () => run(['--no-session', 'fix it']),
  'No API key': () => run(REAL),
  'The key of': () => run(REAL, newPlace(), { ANTHROPIC_API_KEY: 'sk-one\ntwo' }),
  async '401 authentication_error'() {
    const error = { type: 'authentication_error', message: 'invalid x-api-key' };
    const provider = await startRecordingProvider([{ status: 401, body: JSON.stringify({ type: 'error', error }) }]);
    return run(REAL, newPlace(), { ANTHROPIC_API_KEY: 'wrong', ANTHROPIC_BASE_URL: provider.url });
  },
  'Model not found': () => run(['--model', 'nope', 'hi']),
  'Connection error: connect': () =>
    run(
      ['--no-session', '--set', 'retry.enabled=false', '--model', 'tiny', 'hi'],
      withFile('models.json', JSON.stringify({ providers: { mine: UNREACHABLE } })),
    ),
  'Connection error: HTTPS_PROXY': () =>
    run(['--set', 'retry.enabled=false', ...REAL], newPlace(), {
      HTTPS_PROXY: 'socks5://x',
      ANTHROPIC_API_KEY: 'none',
    }),
  'The provider sent no content': () => runWithAnswer('http.idleTimeoutMs=1000', (response) => streamHead(response)),
  'The provider sent an event': () =>
    runWithAnswer('retry.enabled=true', (response) => {
      streamHead(response);
      response.end(`data: ${'a'.repeat(17 * 1024 * 1024)}`);
    }),
  'Connection error: The proxy': () =>
    run(['--set', 'retry.enabled=false', ...REAL], newPlace(), {
      HTTPS_PROXY: 'http://127.0.0.1:9',
      ANTHROPIC_API_KEY: 'none',
    }),
  'Agent is already': () =>
    sendLines('{"id":"1","type":"prompt","message":"Run `sleep 1`"}', '{"id":"2","type":"prompt","message":"and?"}'),
  'Failed to parse': () => sendLines('nonsense'),
  'Unknown command': () => sendLines('{"id":"3","type":"fly"}'),
  'This project is not trusted': () => {
    const place = newPlace();
    mkdirSync(join(place.cwd, '.pi/extensions'), { recursive: true });
    writeFileSync(join(place.cwd, '.pi/extensions/a.ts'), 'export default () => {}');
    return run(['--no-session', 'say hi'], place);
  },
  async 'Session is in use'() {
    const place = newPlace();
    const holder = startRpc([], { place });
    await holder.ask({ type: 'prompt', message: 'say hi' });
    await holder.frame({ type: 'agent_settled' });
    const { data } = await holder.ask({ type: 'get_state' });
    const { sessionFile } = data as { sessionFile: string };
    return run(['--session', sessionFile, 'hi'], place);
  },
  'Session not found': () => run(['--session', 'zzz', 'hi']),
  'Not a session': () => {
    const place = newPlace();
    writeFileSync(join(place.cwd, 'x.jsonl'), 'garbage\n');
    return run(['--session', 'x.jsonl', 'hi'], place);
  },
  // A file has the name of the directory, so nothing can be written, as on a full disk.
  'Cannot write session file': () => run(['say hi'], withFile('sessions', '')),
  'other users can read': () => {
    const place = withFile('auth.json', '{}');
    chmodSync(join(place.home, 'auth.json'), 0o644);
    return run(['doctor'], place);
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
  const place = withFile('gate.mjs', CONFIRM_EXTENSION);
  const gate = join(place.home, 'gate.mjs');
  const first = startRpc(['--no-session', '-e', gate], { place });
  await first.ask({ type: 'prompt', message: 'Run `true`' });
  const { id } = await first.frame({ type: 'extension_ui_request', method: 'confirm' });
  const { data } = await first.ask({ type: 'get_state' });
  expect(data).toMatchObject({ isStreaming: true });
  first.send({ type: 'extension_ui_response', id, confirmed: true });
  await first.frame({ type: 'agent_settled' });
  const waiting = startRpc(['--no-session', '-e', gate, '--set', 'ui.timeout=50'], { place });
  await waiting.ask({ type: 'prompt', message: 'Run `true`' });
  await waiting.frame({ type: 'extension_ui_request', method: 'confirm' });
  await waiting.frame({ type: 'agent_settled' });
});
