// A loopback provider for OpenAI Chat Completions with scripted answers. It records every request.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { chatFrame, startHttpServer } from './http-server.ts';

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
  const server = await startHttpServer(async (request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? '';
    requests.push((await json(request)) as RecordedRequest);
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
    response.write(chatFrame({ delta }) + chatFrame({ delta: {}, finish_reason }));
    response.end('data: [DONE]\n\n');
  });
  const url = `${server.url}/v1`;
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
