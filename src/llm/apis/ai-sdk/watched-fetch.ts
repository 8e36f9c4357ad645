// First floor, llm: the fetch that the AI SDK is given: our user agent, patience and failures instead of its own. Knows no provider.

import { httpFailure, malformed, type ProviderFault } from '../../http/failure.ts';
import { bounded, createPatience, explain, type Patience } from '../../http/post.ts';
import type { WirePorts } from '../../http/wire.ts';
import type { SdkFormat } from './format.ts';

export interface WatchedFetch {
  readonly fetch: typeof fetch;
  /** Aborts when the asker does, and when patience is lost. */
  readonly signal: AbortSignal;
  /** What went wrong on the line. The SDK wraps what it is thrown; this is the thing itself. */
  readonly lost: unknown;
  end(): void;
}

export interface Watching {
  format: Pick<SdkFormat, 'streams' | 'refine'>;
  secrets: readonly string[];
  /** Counted above the SDK's own. */
  headers: Readonly<Record<string, string>>;
}

export function watchedFetch(ports: WirePorts, watching: Watching, signal: AbortSignal): WatchedFetch {
  const patience = createPatience(ports, signal);
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
    end: patience.end,
    fetch: async (url, init) => {
      try {
        const headers = new Headers(init?.headers);
        for (const [name, value] of Object.entries(watching.headers)) headers.set(name, value);
        const response = await ports.fetch(url, { ...init, headers, signal: patience.signal, redirect: 'error' });
        await expectStream(response, String(url), watching);
        const { status, headers: said } = response;
        const body = watchedBody(response.body as ReadableStream<Uint8Array>, patience, lose);
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
  const body = (await bounded(response)).slice(0, 200);
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

/**
 * Notices every piece that arrives. A line that is lost ends the stream instead of breaking it, because a broken one takes
 * along what came before and was not read yet. It also ends with the signal: Node's body may neither end nor fail then.
 */
function watchedBody(
  body: ReadableStream<Uint8Array>,
  patience: Pick<Patience, 'signal' | 'renew'>,
  lose: (thrown: unknown) => unknown,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isOver = false;
  const end = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (!isOver) controller.close();
    isOver = true;
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const giveUp = () => {
        lose(patience.signal.reason);
        end(controller);
        reader.cancel().catch(() => {});
      };
      patience.signal.addEventListener('abort', giveUp, { once: true });
    },
    async pull(controller) {
      const piece = await reader.read().catch((thrown: unknown) => void lose(thrown));
      if (isOver) return;
      patience.renew();
      if (piece?.value) controller.enqueue(piece.value);
      else end(controller);
    },
    cancel(reason) {
      isOver = true;
      return reader.cancel(reason);
    },
  });
}
