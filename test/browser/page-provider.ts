// A loopback provider for Chat Completions: streams scripted answers, and can pause in the middle of one.

import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { startHttpServer } from '../support/http-server.ts';
import type { ProgramDirectories } from '../support/program.ts';

export interface PageAnswer {
  readonly thinking?: string;
  /** A list gives one delta for each item. */
  readonly text?: string | readonly string[];
  readonly calls?: readonly { readonly name: string; readonly arguments: object }[];
  /** The answer pauses after its first delta until this resolves. */
  readonly until?: Promise<void>;
  /** Tokens of the request, as the provider counts them. */
  readonly input?: number;
  /** The message of an error, instead of an answer. */
  readonly error?: string;
}

/** The answers to each prompt, in order. Another prompt is answered with its own text. */
export type PageScript = Readonly<Record<string, readonly PageAnswer[]>>;

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

const MODELS = [
  { id: 'large', name: 'Large', reasoning: true, input: ['text', 'image'], contextWindow: 100_000, maxTokens: 8000 },
  { id: 'small', name: 'Small', reasoning: false, input: ['text'], contextWindow: 50_000, maxTokens: 4000 },
];
const COST = { input: 10, output: 20, cacheRead: 1, cacheWrite: 10 };

/** Writes the models of the provider to the user directory. Returns the flags that select the first one. */
export async function startPageProvider(
  directories: ProgramDirectories,
  script: PageScript,
): Promise<readonly string[]> {
  const { url } = await startHttpServer(async (request, response) => {
    const { messages } = (await json(request)) as ChatRequest;
    await sendAnswer(response, chooseAnswer(messages, script));
  });
  const own = {
    ...{ baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'loopback' },
    compat: { requiresAlternatingRoles: false },
    models: MODELS.map((model) => ({ ...model, cost: COST })),
  };
  writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers: { own } }));
  return ['--provider', 'own', '--model', 'large'];
}

function chooseAnswer(messages: ChatRequest['messages'], script: PageScript): PageAnswer {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const prompt = readText(messages[at]?.content);
  const turn = messages.slice(at).filter(({ role }) => role === 'assistant').length;
  const [, answers] = Object.entries(script).find(([text]) => prompt.includes(text)) ?? [];
  return answers?.[turn] ?? { text: turn === 0 ? `Answer to: ${prompt.slice(0, 200)}` : 'Done.' };
}

function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  return (content as { text?: string }[] | undefined)?.map(({ text = '' }) => text).join('') ?? '';
}

async function sendAnswer(response: ServerResponse, answer: PageAnswer): Promise<void> {
  if (answer.error !== undefined) {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: answer.error } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (frame: object) => void response.write(`data: ${JSON.stringify({ id: 'x', ...frame })}\n\n`);
  const sendDelta = (delta: object, finish?: string) =>
    send({ choices: [{ index: 0, delta, ...(finish ? { finish_reason: finish } : {}) }] });
  const { thinking, text = '', calls = [], until, input = 1000 } = answer;
  if (thinking) sendDelta({ reasoning_content: thinking });
  const [first = '', ...rest] = [text].flat();
  sendDelta({ role: 'assistant', content: first });
  await until;
  for (const part of rest) sendDelta({ content: part });
  calls.forEach(({ name, arguments: args }, index) => {
    const id = `call_${Math.random().toString(36).slice(2)}`;
    sendDelta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: JSON.stringify(args) } }] });
  });
  sendDelta({}, calls.length > 0 ? 'tool_calls' : 'stop');
  send({ choices: [], usage: { prompt_tokens: input, completion_tokens: 100, total_tokens: input + 100 } });
  response.end('data: [DONE]\n\n');
}
