// Loopback provider for the Messages format. Checks requests strictly and sends scripted replies.
import { checkBody, checkHeaders, readBetas } from './anthropic-messages-check.ts';
import { type Answer, framesOf } from './anthropic-messages-frames.ts';
import { type Fields, hashPrefix, Refusal } from './anthropic-messages-refusal.ts';
import { createSignature, type IssuedThinking } from './anthropic-messages-thinking.ts';
import * as loopback from './loopback.ts';

export { errorBody } from './anthropic-messages-refusal.ts';

export const KEY = 'sk-ant-api03-loopback-key';
export const OAUTH_TOKEN = 'sk-ant-oat01-loopback-token';

export type Reply = loopback.Reply<Answer>;
export type LoopbackServer = loopback.LoopbackServer<Answer>;

export async function startAnthropicMessages(): Promise<LoopbackServer> {
  const issued: IssuedThinking = new Map();
  return loopback.startLoopback<Answer>({
    streamHeaders: { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': 'req_011Loopback' },
    emptyAnswer: { parts: [] },
    check({ path, headers, body }) {
      if (path !== 'POST /v1/messages') throw new Refusal('Not found', 'not_found_error', 404);
      checkHeaders(headers, [KEY, OAUTH_TOKEN]);
      checkBody(body, readBetas(headers), issued);
    },
    framesOf: (answer, { body }) => createIssuedFrames(answer, body, issued),
  });
}

/** Records the signatures that it issues. */
function createIssuedFrames(answer: Answer, body: Fields, issued: IssuedThinking): string[] {
  const prefix = hashPrefix(body, body.messages as unknown[]);
  for (const part of answer.parts) if ('redacted' in part) issued.set(part.redacted, { thinking: '', prefix });
  return framesOf(answer, (thinking) => {
    const signature = createSignature(thinking, prefix);
    issued.set(signature, { thinking, prefix });
    return signature;
  });
}
