// First floor, llm: the fetch that the AI SDK is given: our user agent, patience and failures instead of its own. Knows no provider.

import { redactedExcerpt } from '../../../base/redaction.ts';
import type { ApiRequest } from '../../../contracts/index.ts';
import { withoutUserinfo } from '../../http/address.ts';
import { httpFailure, malformed, type ProviderFault } from '../../http/failure.ts';
import { answerTooLarge, eventTooLarge, MAX_ANSWER, MAX_EVENT } from '../../http/limits.ts';
import { bounded, createPatience, explain } from '../../http/post.ts';
import type { WirePorts } from '../../http/wire.ts';
import type { SdkFormat } from './format.ts';

export interface WatchedFetch {
  readonly fetch: typeof fetch;
  /** Aborts when the asker does, and when patience is lost. */
  readonly signal: AbortSignal;
  /** What went wrong on the line. The SDK wraps what it is thrown; this is the thing itself. */
  readonly lost: unknown;
  /** The SDK has read an event, which the host is given now. */
  hold(): void;
  /** The provider is waited for again. */
  resume(hasContent: boolean): void;
  end(): void;
}

export interface Watching {
  format: Pick<SdkFormat, 'streams' | 'refine'>;
  secrets: readonly string[];
  /** Counted above the SDK's own. */
  headers: Readonly<Record<string, string>>;
}

export function watchedFetch(
  ports: WirePorts,
  watching: Watching,
  { signal, idle }: Pick<ApiRequest, 'signal' | 'idle'>,
): WatchedFetch {
  const patience = createPatience(ports, signal, idle);
  /** Bytes in all, and since the SDK gave the last event: it keeps those of an event that is not complete. */
  const size = { answer: 0, event: 0 };
  let lost: unknown;
  const lose = (thrown: unknown): unknown => {
    lost ??= explain(thrown, patience, signal, ports);
    return lost;
  };
  return {
    signal: patience.signal,
    get lost() {
      return lost;
    },
    hold() {
      size.event = 0;
      patience.hold();
    },
    resume: patience.resume,
    end: patience.end,
    fetch: async (url, init) => {
      try {
        const own = Object.fromEntries(new Headers(init?.headers));
        const call = withoutUserinfo(String(url), { ...own, ...watching.headers });
        const asked = { ...init, headers: call.headers, signal: patience.signal, redirect: 'error' as const };
        const response = await ports.fetch(call.url, asked);
        await expectStream(response, call.url, watching);
        const { status, headers: said } = response;
        const body = watchedBody(response.body as ReadableStream<Uint8Array>, { signal: patience.signal, size, lose });
        return new Response(body, { status, headers: said });
      } catch (thrown) {
        throw lose(thrown);
      }
    },
  };
}

async function expectStream(response: Response, url: string, { format, secrets }: Watching): Promise<void> {
  if (!response.ok) throw await refusal(response, format, secrets);
  const type = response.headers.get('content-type') ?? 'no content type';
  if (format.streams.test(type) && response.body) return;
  const body = redactedExcerpt(await bounded(response), secrets, 200);
  throw malformed(`The provider at ${new URL(url).host} answered with ${type} instead of a stream: ${body}`);
}

async function refusal(
  response: Response,
  format: Watching['format'],
  secrets: readonly string[],
): Promise<ProviderFault> {
  const body = await bounded(response);
  const failure = httpFailure(response.status, response.headers, body, secrets);
  return format.refine?.(failure, body) ?? failure;
}

interface Watch {
  signal: AbortSignal;
  size: { answer: number; event: number };
  lose(thrown: unknown): unknown;
}

function overLimit(size: Watch['size'], bytes: number): ProviderFault | undefined {
  size.answer += bytes;
  size.event += bytes;
  if (size.event > MAX_EVENT) return eventTooLarge();
  return size.answer > MAX_ANSWER ? answerTooLarge() : undefined;
}

/**
 * Counts every piece that arrives. A line that is lost ends the stream instead of breaking it, because a broken one takes
 * along what came before and was not read yet. It also ends with the signal: Node's body may neither end nor fail then.
 */
function watchedBody(body: ReadableStream<Uint8Array>, { signal, size, lose }: Watch): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isOver = false;
  const end = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (!isOver) controller.close();
    isOver = true;
  };
  const giveUp = (controller: ReadableStreamDefaultController<Uint8Array>, reason: unknown) => {
    lose(reason);
    end(controller);
    reader.cancel().catch(() => {});
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      signal.addEventListener('abort', () => giveUp(controller, signal.reason), { once: true });
    },
    async pull(controller) {
      const piece = await reader.read().catch((thrown: unknown) => void lose(thrown));
      if (isOver) return;
      const excess = overLimit(size, piece?.value?.length ?? 0);
      if (excess) giveUp(controller, excess);
      else if (piece?.value) controller.enqueue(piece.value);
      else end(controller);
    },
    cancel(reason) {
      isOver = true;
      return reader.cancel(reason);
    },
  });
}
