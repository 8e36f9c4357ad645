// A loopback provider for OpenAI Chat Completions with scripted answers. It records every request.
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface RecordedRequest {
  readonly messages: readonly { role: string; content: unknown }[];
  readonly tools?: readonly { function: { name: string } }[];
}

/** A text, a tool call, or an HTTP response. */
export type RecordedAnswer =
  | string
  | { readonly call: string; readonly arguments: Record<string, unknown> }
  | { readonly status: number; readonly body: string };

export interface RecordingProvider {
  readonly requests: readonly RecordedRequest[];
  readonly url: string;
  /** Names of the tools offered in each request. */
  listOfferedTools(): string[][];
  /** Writes models.json to a user directory. `--model own/m` selects this provider. */
  writeModelsFile(home: string, more?: Record<string, unknown>): void;
}

/** The last answer is repeated. */
export async function startRecordingProvider(answers: readonly RecordedAnswer[]): Promise<RecordingProvider> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? '';
    requests.push(JSON.parse(await text(request)));
    if (typeof answer === 'object' && 'status' in answer) {
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const delta =
      typeof answer === 'string'
        ? { content: answer }
        : {
            tool_calls: [
              {
                index: 0,
                id: `call_${requests.length}`,
                type: 'function',
                function: { name: answer.call, arguments: JSON.stringify(answer.arguments) },
              },
            ],
          };
    const finish_reason = typeof answer === 'string' ? 'stop' : 'tool_calls';
    for (const choice of [
      { index: 0, delta },
      { index: 0, delta: {}, finish_reason },
    ]) {
      response.write(`data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [choice] })}\n\n`);
    }
    response.end('data: [DONE]\n\n');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}/v1`;
  return {
    requests,
    url,
    listOfferedTools: () => requests.map(({ tools = [] }) => tools.map((tool) => tool.function.name).sort()),
    writeModelsFile(home, more = {}) {
      mkdirSync(home, { recursive: true });
      const own = { baseUrl: url, api: 'openai-completions', apiKey: 'sk-loopback', models: [{ id: 'm' }], ...more };
      writeFileSync(join(home, 'models.json'), JSON.stringify({ providers: { own } }));
    },
  };
}
