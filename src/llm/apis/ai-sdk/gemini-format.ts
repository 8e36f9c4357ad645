// Shared format of the two Gemini APIs: signatures, images and error details.
import { isRecord, tryParseJson } from '../../../base/index.ts';
import type { ApiRequest } from '../../../contracts/index.ts';
import type { ProviderFailure } from '../../../protocol/index.ts';
import { normalizeCallId } from '../../call-id.ts';
import { collectSecrets } from '../../http/headers.ts';
import { ProviderFault } from '../../http/provider-fault.ts';
import { planGeminiCall } from './gemini-thinking.ts';
import type { SdkFormat } from './sdk-format.ts';

/** `options` is the key of Gemini's provider options and metadata in the SDK. */
export function createGeminiFormat(options: 'google' | 'vertex'): Omit<SdkFormat, 'connect'> {
  return {
    streamContentType: /text\/event-stream/,
    imageTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
    supportsImagesInResults: () => true,
    createCallIdNormalizer: () => normalizeCallId,
    collectSecrets,
    planCall: (request: ApiRequest) => planGeminiCall(request, options),
    readSignature(metadata) {
      const signature = metadata[options]?.thoughtSignature;
      return typeof signature === 'string' ? { signature } : undefined;
    },
    writeSignature: ({ signature }) => (signature ? { [options]: { thoughtSignature: signature } } : undefined),
    refineFault,
  };
}

function refineFault(failure: ProviderFault, body: string): ProviderFault {
  const { kind, status } = failure.providerFailure;
  // The API reports an invalid key with status 400.
  if (status === 400 && body.includes('API_KEY_INVALID')) return replaceFailure(failure, { kind: 'auth', status });
  if (status !== 429 && status !== 503) return failure;
  const retryAfterMs = failure.providerFailure.retryAfterMs ?? parseRetryDelay(body);
  if (retryAfterMs === undefined) return failure;
  // The API calls every limit a quota, including per-minute limits. A retry delay means that it is a rate limit.
  return replaceFailure(failure, { kind: kind === 'quota' ? 'rate_limit' : kind, status, retryAfterMs });
}

function replaceFailure({ message }: ProviderFault, providerFailure: ProviderFailure): ProviderFault {
  return new ProviderFault(providerFailure, message);
}

/** Reads `{ "@type": "…RetryInfo", "retryDelay": "36.4s" }` from an error object or a list of them. */
function parseRetryDelay(body: string): number | undefined {
  const parsedBody = tryParseJson(body);
  const [first] = Array.isArray(parsedBody) ? parsedBody : [parsedBody];
  const error = isRecord(first) && isRecord(first.error) ? first.error : {};
  for (const detail of Array.isArray(error.details) ? error.details : []) {
    const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(isRecord(detail) ? String(detail.retryDelay) : '') ?? [];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000);
  }
  return undefined;
}
