// First floor, llm: what Gemini's two doors have in common: its seals, its images, its way to say no. Knows no address.
import { isRecord } from '../../../base/index.ts';
import type { ApiRequest } from '../../../contracts/index.ts';
import type { Failure } from '../../../protocol/index.ts';
import { callId } from '../../call-id.ts';
import { ProviderFault } from '../../http/failure.ts';
import { secretsOf } from '../../http/headers.ts';
import type { SdkFormat } from './format.ts';
import { planThinking } from './gemini-thinking.ts';

/** `options` is the name under which the door keeps what is only Gemini's. */
export function geminiFormat(options: 'google' | 'vertex'): Omit<SdkFormat, 'connect'> {
  return {
    streams: /text\/event-stream/,
    imageTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
    showsInResults: () => true,
    callId: () => callId,
    secrets: secretsOf,
    plan: (request: ApiRequest) => planThinking(request, options),
    sealIn(metadata) {
      const signature = metadata[options]?.thoughtSignature;
      return typeof signature === 'string' ? { signature } : undefined;
    },
    unseal: ({ signature }) => (signature ? { [options]: { thoughtSignature: signature } } : undefined),
    refine,
  };
}

function refine(failure: ProviderFault, body: string): ProviderFault {
  const { kind, status } = failure.failure;
  // A wrong key is a bad request like any other here.
  if (status === 400 && body.includes('API_KEY_INVALID')) return as(failure, { kind: 'auth', status });
  if (status !== 429 && status !== 503) return failure;
  const retryAfterMs = failure.failure.retryAfterMs ?? waitIn(body);
  if (retryAfterMs === undefined) return failure;
  // Every limit is called a quota, those of a minute too. Where it is said when to come back, it is a matter of waiting.
  return as(failure, { kind: kind === 'quota' ? 'rate_limit' : kind, status, retryAfterMs });
}

function as({ message }: ProviderFault, failure: Failure): ProviderFault {
  return new ProviderFault(failure, message);
}

/** `{ "@type": "…RetryInfo", "retryDelay": "36.4s" }`, in an error that stands alone or in a list. */
function waitIn(body: string): number | undefined {
  let told: unknown;
  try {
    told = JSON.parse(body);
  } catch {
    return undefined;
  }
  const [whole] = Array.isArray(told) ? told : [told];
  const error = isRecord(whole) && isRecord(whole.error) ? whole.error : {};
  for (const detail of Array.isArray(error.details) ? error.details : []) {
    const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(isRecord(detail) ? String(detail.retryDelay) : '') ?? [];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000);
  }
  return undefined;
}
