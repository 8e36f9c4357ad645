// A loopback server for GitHub and Copilot: device codes, tokens, the list of models, and chat completions.
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { chatFrame, startHttpServer } from './http-server.ts';

export interface CopilotRequest {
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

export interface Copilot {
  readonly url: string;
  readonly requests: readonly CopilotRequest[];
  /** The number of requests for a path. */
  count(path: string): number;
  /** Answers to the next polls. Further polls get `authorization_pending`. */
  polls: Record<string, unknown>[];
  /** Seconds since 1970. */
  expiresAt: number;
}

export async function startCopilot(): Promise<Copilot> {
  const requests: CopilotRequest[] = [];
  let tokens = 0;
  const answers: Record<string, () => unknown> = {
    '/login/device/code': () => ({
      device_code: 'dev',
      user_code: 'ABCD-1234',
      verification_uri: 'https://example.test/device',
      interval: 1,
      expires_in: 900,
    }),
    '/login/oauth/access_token': () => copilot.polls.shift() ?? { error: 'authorization_pending' },
    '/copilot_internal/v2/token': () => ({
      token: `short-lived-${++tokens}`,
      expires_at: copilot.expiresAt,
      endpoints: { api: copilot.url },
    }),
    '/models': () => ({
      data: [{ id: 'claude-sonnet-4.6', name: 'Claude Sonnet 4.6', capabilities: { type: 'chat', supports: {} } }],
    }),
  };
  const { url } = await startHttpServer(async (request, response) => {
    const body = await text(request);
    const path = request.url ?? '';
    requests.push({ path, body, headers: request.headers });
    if (path === '/chat/completions') {
      response.setHeader('content-type', 'text/event-stream');
      response.end(
        `${chatFrame({ delta: { role: 'assistant', content: 'Hello from Copilot.' } })}${chatFrame({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`,
      );
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[path]?.() ?? {}));
  });
  const copilot: Copilot = {
    url,
    requests,
    count: (path) => requests.filter((one) => one.path === path).length,
    polls: [],
    expiresAt: Math.floor(Date.now() / 1000) + 1800,
  };
  return copilot;
}
