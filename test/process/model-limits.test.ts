// Answers that are too large, and providers that send no content: one request, one error that names the limit, bounded memory.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readMemory, startRpc } from '../support/program.ts';
import {
  createChatAnswer,
  createDirectoriesFor,
  RAW_ENV,
  type RespondFunction,
  startEventStream,
  startRawProvider,
} from '../support/raw-provider.ts';

const MIB = 1024 * 1024;
/** Allowed growth of memory. The answers below have 100 MB and more. */
const MOST_GROWTH = 160 * MIB;

const hello = createChatAnswer({ content: 'Hello.' });

/** Sends as fast as the client reads. */
function endless(first: string, piece: Buffer, count: number): RespondFunction {
  return (response) => {
    startEventStream(response);
    response.write(first);
    Readable.from(Array.from({ length: count }, () => piece)).pipe(response);
  };
}

/** One event line of 300 MB, compressed to 1.3 MB. */
function gzipBomb(): RespondFunction {
  const bomb = gzipSync(Buffer.alloc(300 * MIB, 'a'), { level: 1 });
  return (response) => {
    startEventStream(response, { 'content-encoding': 'gzip' });
    response.end(bomb);
  };
}

/** Many small valid events. */
function gzipOfEvents(): RespondFunction {
  const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant' } }] })}\n\n`;
  const bomb = gzipSync(Buffer.from(event.repeat(Math.ceil((200 * MIB) / event.length))), { level: 1 });
  return (response) => {
    startEventStream(response, { 'content-encoding': 'gzip' });
    response.end(bomb);
  };
}

function every(ms: number, text: string): RespondFunction {
  return (response) => {
    startEventStream(response);
    const timer = setInterval(() => response.write(text), ms);
    response.on('close', () => clearInterval(timer));
  };
}

const CHAT_LINE = 'data: {"choices":[{"index":0,"delta":{"content":"';
const GEMINI_LINE = 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"';
const CHAT = 'openai-completions';
const GEMINI = 'google-generative-ai';

/** One answer of Gemini. */
const geminiHello: RespondFunction = (response) => {
  startEventStream(response);
  const candidate = { content: { role: 'model', parts: [{ text: 'Hello.' }] }, finishReason: 'STOP' };
  response.end(`data: ${JSON.stringify({ candidates: [candidate] })}\n\n`);
};

/** Starts the program and gets one normal answer; the next request gets `answer`. */
async function afterHello(api: string, respondFunction: RespondFunction, settings: object = {}) {
  const provider = await startRawProvider(api === CHAT ? hello : geminiHello, respondFunction);
  const directories = createDirectoriesFor(`${provider.url}/v1`, api, settings);
  const program = startRpc(['--provider', 'raw', '--no-session'], { directories, env: RAW_ENV });
  program.send({ type: 'prompt', message: 'hello' });
  expect(await program.nextFrame({ type: 'agent_end' })).toMatchObject({
    messages: [{ role: 'user' }, { role: 'assistant', stopReason: 'stop' }],
  });
  await program.nextFrame({ type: 'agent_settled' });
  return { provider, program };
}

const MIB_OF_A = Buffer.alloc(MIB, 'a');

test.each([
  ['100 MB without a newline', CHAT, () => endless(CHAT_LINE, MIB_OF_A, 100), /event of more than 16 MiB$/],
  [
    '100 MB without a newline from Gemini',
    GEMINI,
    () => endless(GEMINI_LINE, MIB_OF_A, 100),
    /event of more than 16 MiB$/,
  ],
  ['a gzip bomb', CHAT, gzipBomb, /event of more than 16 MiB$/],
  ['a gzip bomb from Gemini', GEMINI, gzipBomb, /event of more than 16 MiB$/],
  ['a gzip bomb of small events', CHAT, gzipOfEvents, /response of more than 128 MiB$/],
])('%s is rejected once, with bounded memory', async (_name, api, answer, limit) => {
  const { provider, program } = await afterHello(api, answer());
  const before = readMemory(program.pid, 'VmHWM');
  program.send({ type: 'prompt', message: 'more' });
  const end = await program.nextFrame({ type: 'agent_end' });
  await program.nextFrame({ type: 'agent_settled' });
  const error = { stopReason: 'error', errorMessage: expect.stringMatching(limit) };
  expect(end).toMatchObject({ willRetry: false, messages: [{ role: 'user' }, error] });
  expect(provider.requests).toHaveLength(2);
  expect(readMemory(program.pid, 'VmHWM') - before).toBeLessThan(MOST_GROWTH);
  // The program still works.
  expect(await program.call({ type: 'get_state' })).toMatchObject({ success: true });
});

const PING = ': ping\n\n';
const EMPTY = 'data: {"choices":[{"index":0,"delta":{"content":""}}]}\n\n';

test.each([
  ['comments', CHAT, every(20, PING)],
  ['comments from Gemini', GEMINI, every(20, PING)],
  ['empty chunks', CHAT, every(20, EMPTY)],
  ['nothing after the headers', CHAT, (response: ServerResponse) => startEventStream(response)],
  ['nothing at all', CHAT, () => {}],
])('%s without end: the run ends once, after the idle limit', async (_name, api, answer) => {
  const { provider, program } = await afterHello(api, answer, { http: { idleTimeoutMs: 1000 } });
  program.send({ type: 'prompt', message: 'more' });
  const end = await program.nextFrame({ type: 'agent_end' });
  await program.nextFrame({ type: 'agent_settled' });
  const errorMessage = 'The provider sent no content for 1 second. The limit is the setting http.idleTimeoutMs (1000).';
  expect(end).toMatchObject({ willRetry: false, messages: [{ role: 'user' }, { stopReason: 'error', errorMessage }] });
  expect(provider.requests).toHaveLength(2);
});
