// A loopback provider for Chat Completions with scripted answers.
import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type Answer, framesOf } from '../llm/servers/openai-completions-frames.ts';
import { startHttpServer } from './http-server.ts';
import { createDirectories, type ProgramDirectories } from './program.ts';

export interface ChatReply {
  readonly thinking?: string;
  readonly text?: string;
  /** The `finish_reason`. Default: `tool_calls` with calls, `stop` without. */
  readonly finish?: string;
  /** An HTTP error status instead of an answer. */
  readonly status?: number;
  /** The answer is sent when this resolves. */
  readonly after?: Promise<void>;
  readonly calls?: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[];
  /** Input and output tokens that the provider reports. */
  readonly tokens?: readonly [input: number, output: number];
}

export interface ChatProvider {
  readonly url: string;
  /** The requests so far. */
  readonly requests: readonly Record<string, unknown>[];
  /** The headers of each request. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** Adds answers. When none is left, a request is answered with `Done.` */
  add(...replies: ChatReply[]): void;
  /** Directories in which the program finds this provider as `own/m`. */
  createDirectories(model?: Record<string, unknown>): ProgramDirectories;
}

/** Flags that select the model of `place()`. */
export const CHAT_MODEL_FLAGS = ['--provider', 'own', '--model', 'm'];

export async function startChatProvider(): Promise<ChatProvider> {
  const requests: Record<string, unknown>[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const replies: ChatReply[] = [];
  let calls = 0;
  const answerOf = ({
    text: answerText,
    thinking,
    finish,
    calls: toolCalls = [],
    tokens: [input, output] = [10, 10],
  }: ChatReply): Answer => ({
    ...(answerText === undefined ? {} : { text: [answerText] }),
    ...(thinking === undefined ? {} : { thinking: [thinking] }),
    ...(finish === undefined ? {} : { finish }),
    calls: toolCalls.map(({ name, arguments: args }) => {
      calls += 1;
      return { id: `call_${calls}`, name, pieces: [JSON.stringify(args)] };
    }),
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  });
  const { url } = await startHttpServer(async (request, response) => {
    headers.push(request.headers);
    requests.push((await json(request)) as Record<string, unknown>);
    const reply = replies.shift() ?? { text: 'Done.' };
    if (reply.status !== undefined) {
      response.writeHead(reply.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `refused with ${reply.status}` } }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    await reply.after;
    response.end(framesOf(answerOf(reply)).join(''));
  });
  return {
    url,
    requests,
    headers,
    add: (...more) => void replies.push(...more),
    createDirectories(model = {}) {
      const directories = createDirectories();
      const own = { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'none', models: [{ id: 'm', ...model }] };
      writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers: { own } }));
      return directories;
    },
  };
}
