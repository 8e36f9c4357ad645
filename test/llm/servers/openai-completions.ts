// Loopback provider for Chat Completions. Checks requests strictly and sends scripted replies.
import * as loopback from './loopback.ts';
import { checkBody, type Fields, type Issued, Refusal } from './openai-completions-check.ts';
import { type Answer, framesOf } from './openai-completions-frames.ts';
import { PROVIDER_RULES } from './openai-completions-providers.ts';

export const KEY = 'sk-loopback-key-1234';

export interface Reply extends loopback.Reply<Answer> {
  /** Fields that the provider requires back with these calls: id → fields of the message. */
  issues?: Readonly<Record<string, Fields>>;
}

export interface LoopbackServer extends Omit<loopback.LoopbackServer<Answer, Reply>, 'url'> {
  /** The base URL of one of the imitated providers, see `PROVIDER_RULES`. */
  getUrl(provider: string): string;
}

export async function startOpenAiCompletions(): Promise<LoopbackServer> {
  const issued: Issued = new Map();
  const { url, ...server } = await loopback.startLoopback<Answer, Reply>({
    streamHeaders: { 'content-type': 'text/event-stream; charset=utf-8' },
    emptyAnswer: {},
    check: (request) => check(request, issued),
    framesOf,
    onReply({ issues = {} }) {
      for (const [id, fields] of Object.entries(issues)) issued.set(id, fields);
    },
  });
  return { ...server, getUrl: (provider) => `${url}/${provider}/v1` };
}

function check({ path, headers, body }: loopback.Received, issued: Issued): void {
  const [, name = ''] = /^POST \/([a-z]+)\/v1\/chat\/completions$/.exec(path) ?? [];
  const rules = PROVIDER_RULES[name];
  if (!rules) throw new Refusal(404, { error: { message: `Invalid URL (${path})`, type: 'invalid_request_error' } });
  const expected = rules.key ? `Bearer ${KEY}` : undefined;
  if (headers.authorization !== expected) {
    const message = `Incorrect API key provided: ${headers.authorization}.`;
    throw new Refusal(401, { error: { message, type: 'invalid_request_error', param: null, code: 'invalid_api_key' } });
  }
  if (headers['content-type'] !== 'application/json' || headers['user-agent'] !== 'parley/test')
    throw new Refusal(415, { error: { message: 'Unsupported headers' } });
  checkBody(body, rules, issued);
}
