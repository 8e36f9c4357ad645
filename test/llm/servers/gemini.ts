// Loopback provider for Gemini (developer API and Vertex AI). Checks requests strictly and sends scripted replies.
import { checkGemini, geminiError } from './gemini-check.ts';
import { type GeminiAnswer, geminiFrames, type IssuedSignatures } from './gemini-frames.ts';
import { type LoopbackServer, type Received, Refusal, startLoopback } from './loopback.ts';

export const KEY = 'AIzaLoopbackKeyForDevelopers';
export const TOKEN = 'ya29.loopback-token-of-a-project';
export const PROJECT = 'loop-project';

export type GeminiServer = LoopbackServer<GeminiAnswer>;

export async function startGemini(): Promise<GeminiServer> {
  const issued: IssuedSignatures = new Map();
  return startLoopback<GeminiAnswer>({
    streamHeaders: { 'content-type': 'text/event-stream' },
    check: (request) => check(request, issued),
    framesOf: (answer) => geminiFrames(answer, issued),
  });
}

const API_VARIANTS = [
  { path: /^POST \/v1beta\/models\/([^/:]+):streamGenerateContent\?alt=sse$/, ids: true, token: false },
  {
    path: /^POST \/v1\/publishers\/google\/models\/([^/:]+):streamGenerateContent\?alt=sse$/,
    ids: false,
    token: false,
  },
  {
    path: /^POST \/v1beta1\/projects\/loop-project\/locations\/[a-z0-9-]+\/publishers\/google\/models\/([^/:]+):streamGenerateContent\?alt=sse$/,
    ids: false,
    token: true,
  },
];

function check({ path, headers, body }: Received, issued: IssuedSignatures): void {
  const variant = API_VARIANTS.find((candidate) => candidate.path.test(path));
  if (!variant) throw new Refusal(404, geminiError(404, `Not found: ${path}`, 'NOT_FOUND'));
  if (variant.token) checkToken(headers.authorization);
  else checkKey(headers['x-goog-api-key'], headers.authorization);
  checkGemini(variant.path.exec(path)?.[1] ?? '', body, issued, variant);
}

function checkKey(key: string | undefined, authorization: string | undefined): void {
  if (key === KEY && authorization === undefined) return;
  if (key === undefined) {
    const message = "Method doesn't allow unregistered callers (callers without established identity).";
    throw new Refusal(403, geminiError(403, message, 'PERMISSION_DENIED'));
  }
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
  const message = `API key not valid. Please pass a valid API key. (${key})`;
  throw new Refusal(400, geminiError(400, message, 'INVALID_ARGUMENT', details));
}

function checkToken(authorization: string | undefined): void {
  if (authorization === `Bearer ${TOKEN}`) return;
  const message = 'Request had invalid authentication credentials. Expected OAuth 2 access token.';
  throw new Refusal(401, `[${geminiError(401, message, 'UNAUTHENTICATED')}]`);
}
