// Limits the memory of responses that clients do not read: of one token, and of all together.
import type { HttpContext, HttpRouter } from './http-context.ts';
import { createErrorResponse, RETRY_AFTER } from './responses.ts';

export interface ResponseLimits {
  readonly maxBytesPerToken: number;
  readonly maxBytes: number;
}

const MIB = 1024 * 1024;
const DEFAULT_LIMITS: ResponseLimits = { maxBytesPerToken: 128 * MIB, maxBytes: 256 * MIB };
/** Smaller responses are neither counted nor refused: their commands may have changed something. */
const MIN_BYTES = 64 * 1024;

/** A response is sent if no other one waits, however large it is. */
export function limitResponses(app: HttpRouter, limits = DEFAULT_LIMITS): void {
  const waiting = new Map<string, number>();
  let totalBytes = 0;
  const count = (token: string, bytes: number) => {
    const ofToken = (waiting.get(token) ?? 0) + bytes;
    if (ofToken > 0) waiting.set(token, ofToken);
    else waiting.delete(token);
    totalBytes += bytes;
  };
  const exceeds = (before: number, bytes: number, max: number) => before > 0 && before + bytes > max;
  app.use('*', async (context, next) => {
    await next();
    const bytes = readSize(context);
    if (bytes < MIN_BYTES) return;
    const { token } = context.get('caller');
    if (
      exceeds(waiting.get(token) ?? 0, bytes, limits.maxBytesPerToken) ||
      exceeds(totalBytes, bytes, limits.maxBytes)
    ) {
      // Otherwise the headers of the large response would be kept.
      context.res = undefined;
      context.res = createRefusal();
      return;
    }
    count(token, bytes);
    void context.env.sent.then(() => count(token, -bytes));
  });
}

/** 0 for streams. */
function readSize(context: HttpContext): number {
  return context.get('isReadInParts') ? 0 : Number(context.res.headers.get('content-length') ?? 0);
}

function createRefusal(): Response {
  const message = 'Too many bytes of other responses were not read yet. Read them, or send the request again later.';
  const response = createErrorResponse(503, 'busy', message);
  response.headers.set('retry-after', String(RETRY_AFTER));
  return response;
}
