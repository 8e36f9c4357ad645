// A loopback provider for Chat Completions with scripted answers. A test can delay an answer.

import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { startHttpServer } from './http-server.ts';
import { createDirectories, type ProgramDirectories } from './program.ts';

export interface ProviderAnswer {
  readonly text?: string;
  readonly calls?: readonly { name: string; arguments: string }[];
  /** An HTTP error status instead of an answer. */
  readonly status?: number;
  /** Tokens of the request, as the provider counts them. */
  readonly input?: number;
  /** The answer is sent when this resolves. */
  readonly after?: Promise<void>;
}

export interface ScriptedProvider {
  readonly directories: ProgramDirectories;
  /** For the command line: the model of this provider. */
  readonly flags: readonly string[];
  /** The text of the last user message of each request, in order. */
  readonly prompts: readonly string[];
}

/** Requests beyond the script get the status 500. */
export async function startScriptedProvider(
  answers: readonly ProviderAnswer[],
  model: Readonly<Record<string, unknown>> = {},
): Promise<ScriptedProvider> {
  const asked: string[] = [];
  const { url } = await startHttpServer(async (request, response) => {
    const body = (await json(request)) as Parameters<typeof getLastPrompt>[0];
    const answer = answers[asked.length] ?? { status: 500 };
    asked.push(getLastPrompt(body));
    await answer.after;
    send(response, answer);
  });
  const directories = createDirectories();
  const own = {
    baseUrl: `${url}/v1`,
    api: 'openai-completions',
    apiKey: 'loopback',
    // Otherwise consecutive messages of one role, as after an error, would be joined.
    compat: { requiresAlternatingRoles: false },
    models: [{ id: 'scripted', contextWindow: 200_000, maxTokens: 1000, ...model }],
  };
  writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers: { own } }));
  return { directories, flags: ['--provider', 'own', '--model', 'scripted'], prompts: asked };
}

function getLastPrompt(body: { messages: { role: string; content: string | { text?: string }[] }[] }): string {
  const content = body.messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}

function send(response: ServerResponse, { text = '', calls, status = 200, input = 1 }: ProviderAnswer): void {
  if (status !== 200) {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `refused with ${status}` } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const usage = { prompt_tokens: input, completion_tokens: 1, total_tokens: input + 1 };
  const chunks = [
    { choices: [{ index: 0, delta: { role: 'assistant', content: text } }] },
    ...(calls ?? []).map((called, index) => ({
      choices: [
        { index: 0, delta: { tool_calls: [{ index, id: `call_${index}`, type: 'function', function: called }] } },
      ],
    })),
    { choices: [{ index: 0, delta: {}, finish_reason: calls ? 'tool_calls' : 'stop' }] },
    { choices: [], usage },
  ];
  for (const chunk of chunks) {
    response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'scripted', ...chunk })}\n\n`,
    );
  }
  response.end('data: [DONE]\n\n');
}
