// A loopback server for GitHub and Copilot: device codes, tokens, the list of models, and chat completions.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

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

const chunk = (delta: Record<string, unknown>, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

export async function startCopilot(): Promise<Copilot> {
  const asked: CopilotRequest[] = [];
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
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const path = request.url ?? '';
    asked.push({ path, body, headers: request.headers });
    if (path === '/chat/completions') {
      response.setHeader('content-type', 'text/event-stream');
      response.end(
        `${chunk({ role: 'assistant', content: 'Hello from Copilot.' })}${chunk({}, 'stop')}data: [DONE]\n\n`,
      );
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[path]?.() ?? {}));
  });
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const copilot: Copilot = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: asked,
    count: (path) => asked.filter((one) => one.path === path).length,
    polls: [],
    expiresAt: Math.floor(Date.now() / 1000) + 1800,
  };
  return copilot;
}
