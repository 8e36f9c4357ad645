// Renders markdown and code in a worker thread, which is ended when a text takes too long.
import { Worker } from 'node:worker_threads';
import type { Markup, RenderMarkup } from '../../contracts/markup.ts';
import type { Cancel, Clock } from '../../contracts/ports.ts';
import type { PageThreadAnswer } from './threads/page.ts';

/** For one text. A busy machine is no reason to give up, hence generous. */
const TEXT_LIMIT_MS = 3000;
/** Until the thread has loaded the parsers. */
const START_LIMIT_MS = 30_000;
/** After this many texts that took too long, the rest of the page is left as it was written. */
const MOST_ENDED = 3;
const MOST_MEMORY_MB = 512;

type MarkupThread = Pick<Worker, 'on' | 'postMessage' | 'terminate'>;

export interface MarkupThreadOptions {
  readonly clock: Pick<Clock, 'after'>;
  readonly start?: () => MarkupThread;
}

export function createRenderMarkup({ clock, start = startThread }: MarkupThreadOptions): RenderMarkup {
  return async (texts) => {
    // Short ones first: they are quick, and must not be lost because of long ones.
    const order = [...texts.keys()].sort((a, b) => lengthOf(texts[a]) - lengthOf(texts[b]));
    const sorted = order.map((at) => texts[at] as Markup);
    const rendered: (string | undefined)[] = [];
    for (let ended = 0; rendered.length < sorted.length && ended < MOST_ENDED; ended += 1) {
      const isStarted = await renderRest(start(), sorted.slice(rendered.length), rendered, clock);
      if (!isStarted) break;
      // The text at which the thread stopped.
      if (rendered.length < sorted.length) rendered.push(undefined);
    }
    const inPlace: (string | undefined)[] = texts.map(() => undefined);
    for (const [at, place] of order.entries()) inPlace[place] = rendered[at];
    return inPlace;
  };
}

function lengthOf(markup: Markup | undefined): number {
  return markup?.text.length ?? 0;
}

function startThread(): Worker {
  return new Worker(new URL('./threads/page.js', import.meta.url), {
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
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
    let left = texts.length;
    const end = () => {
      cancel();
      void thread.terminate();
      resolve(isStarted);
    };
    let cancel: Cancel = clock.after(START_LIMIT_MS, end);
    thread.on('message', (answer: PageThreadAnswer) => {
      cancel();
      if (answer === 'ready') {
        isStarted = true;
        thread.postMessage(texts);
      } else {
        rendered.push(answer.html);
        left -= 1;
      }
      if (left === 0) end();
      else cancel = clock.after(TEXT_LIMIT_MS, end);
    });
    thread.on('error', end);
    thread.on('exit', end);
  });
}
