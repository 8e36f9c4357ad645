// Loopback provider for the Responses format. Checks requests strictly and sends scripted replies.
import { createHash } from 'node:crypto';
import * as loopback from './loopback.ts';
import { checkBody, checkHeaders } from './openai-responses-check.ts';
import { type Answer, createStream, type IdGenerator } from './openai-responses-frames.ts';
import { type Issued, recordIssued } from './openai-responses-items.ts';
import { Refusal } from './openai-responses-refusal.ts';

export const KEY = 'sk-proj-loopback-key';

export type Reply = loopback.Reply<Answer>;
export type LoopbackServer = loopback.LoopbackServer<Answer>;

export async function startOpenAiResponses(): Promise<LoopbackServer> {
  const issued: Issued = { encrypted: new Map(), followers: new Map(), reasons: new Map() };
  const ids = createIdGenerator();
  const server = await loopback.startLoopback<Answer>({
    streamHeaders: { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req_loopback' },
    emptyAnswer: { parts: [] },
    check({ path, headers, body }) {
      if (path !== 'POST /v1/responses') throw new Refusal(`Invalid URL (${path})`, { status: 404 });
      checkHeaders(headers, KEY);
      checkBody(body, issued);
    },
    framesOf(answer, { body }) {
      const { frames, output } = createStream(answer, ids);
      recordIssued(output, String(body.model), issued);
      return frames;
    },
  });
  return { ...server, url: `${server.url}/v1` };
}

/** Ids as long as real ones. */
function createIdGenerator(): IdGenerator {
  let count = 0;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return {
    id: (prefix) => `${prefix}_${digest(`${prefix}${++count}`).toString('hex').slice(0, 50)}`,
    encrypt: (id) => `gAAAAAB${digest(id).toString('base64url')}==`,
  };
}
