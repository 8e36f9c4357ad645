// Renders markdown and code in a worker thread, which is terminated when a text takes too long.
import { Worker } from 'node:worker_threads';
import type { Markup, RenderMarkup } from '../../contracts/markup.ts';
import type { Cancel, Clock } from '../../contracts/ports.ts';
import type { MarkupThreadMessage } from './threads/page.ts';

/** For one text. Long, because the machine may be busy. */
const TEXT_TIMEOUT_MS = 3000;
/** Until the thread has loaded the parsers. */
const START_TIMEOUT_MS = 30_000;
/** After this many timeouts the remaining texts are not rendered. */
const MAX_TIMEOUTS = 3;
const MAX_MEMORY_MB = 512;

type MarkupThread = Pick<Worker, 'on' | 'postMessage' | 'terminate'>;

export interface RenderMarkupOptions {
  readonly clock: Pick<Clock, 'after'>;
  readonly start?: () => MarkupThread;
}

export function createRenderMarkup({ clock, start = startThread }: RenderMarkupOptions): RenderMarkup {
  return async (texts) => {
    // Short texts first, so that they are rendered even if long ones time out.
    const order = [...texts.keys()].sort((a, b) => getTextLength(texts[a]) - getTextLength(texts[b]));
    const sorted = order.map((at) => texts[at] as Markup);
    const rendered: (string | undefined)[] = [];
    for (let timeouts = 0; rendered.length < sorted.length && timeouts < MAX_TIMEOUTS; timeouts += 1) {
      const isStarted = await renderRest(start(), sorted.slice(rendered.length), rendered, clock);
      if (!isStarted) break;
      // The text that timed out.
      if (rendered.length < sorted.length) rendered.push(undefined);
    }
    const results: (string | undefined)[] = texts.map(() => undefined);
    for (const [at, index] of order.entries()) results[index] = rendered[at];
    return results;
  };
}

function getTextLength(markup: Markup | undefined): number {
  return markup?.text.length ?? 0;
}

function startThread(): Worker {
  return new Worker(new URL('./threads/page.js', import.meta.url), {
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
}

/** Adds to `rendered` until all is done or one text takes too long. `false` when the thread could not be started. */
function renderRest(
  thread: MarkupThread,
  texts: readonly Markup[],
  rendered: (string | undefined)[],
  clock: Pick<Clock, 'after'>,
): Promise<boolean> {
  return new Promise((resolve) => {
    let isStarted = false;
    let remaining = texts.length;
    const finish = () => {
      cancel();
      void thread.terminate();
      resolve(isStarted);
    };
    let cancel: Cancel = clock.after(START_TIMEOUT_MS, finish);
    thread.on('message', (message: MarkupThreadMessage) => {
      cancel();
      if (message === 'ready') {
        isStarted = true;
        thread.postMessage(texts);
      } else {
        rendered.push(message.html);
        remaining -= 1;
      }
      if (remaining === 0) finish();
      else cancel = clock.after(TEXT_TIMEOUT_MS, finish);
    });
    thread.on('error', finish);
    thread.on('exit', finish);
  });
}
