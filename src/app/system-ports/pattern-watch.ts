// The app's real eye for expressions: a thread of its own, so that a slow one slows nobody and a hopeless one can be ended.
import { Worker } from 'node:worker_threads';
import { type Deferred, deferred } from '../../base/deferred.ts';
import type { Pattern, PatternNews, PatternWatch, TryPatterns, WatchPatterns } from '../../contracts/patterns.ts';
import type { Clock } from '../../contracts/ports.ts';

/** An expression that has not made up its mind by then never will. Generous, because a busy machine is no fault of it. */
const PATIENCE_MS = 3000;
/** How far back a match may begin. */
const WINDOW = 32 * 1024;

/** Answers each piece of text once. `progress` says which expression is being tried, also to whoever ends the thread. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const progress = new Int32Array(workerData.progress);
const expressions = workerData.patterns.map(({ expression, flags = '' }) => new RegExp(expression, 'g' + flags));
let text = '';
parentPort.on('message', ({ piece, isNew, wanted }) => {
  if (isNew) text = '';
  const from = Math.max(0, text.length - ${WINDOW});
  text += piece;
  const found = wanted.filter((at) => {
    Atomics.store(progress, 0, at);
    expressions[at].lastIndex = from;
    return expressions[at].test(text);
  });
  parentPort.postMessage(found);
});
`;

export function createPatternWatch({ clock }: { clock: Pick<Clock, 'after'> }): WatchPatterns {
  return (patterns, news) => new Eye(patterns, news, clock);
}

/** One after the other in one thread. An expression that took too long once is not tried again. */
export function createTryPatterns(ports: { clock: Pick<Clock, 'after'> }): TryPatterns {
  return async (pairs) => {
    const patterns = [...new Set(pairs.map(({ expression }) => expression))].flatMap(asPattern);
    const known = new Set(patterns.map(({ name }) => name));
    const hopeless = new Set<string>();
    let isFound = false;
    const eye = createPatternWatch(ports)(patterns, {
      found: () => {
        isFound = true;
      },
      lost: (name) => void hopeless.add(name),
    });
    const tried: (boolean | undefined)[] = [];
    for (const { expression, text } of pairs) {
      isFound = !known.has(expression);
      if (!isFound && !hopeless.has(expression)) {
        eye.begin([expression]);
        eye.feed(text);
        await eye.settled();
      }
      tried.push(hopeless.has(expression) ? undefined : isFound);
    }
    eye.close();
    return tried;
  };
}

/** As schemas mean it, with whole characters, where that can be read; nothing when it is no expression at all. */
function asPattern(expression: string): Pattern[] {
  for (const flags of ['u', '']) {
    try {
      new RegExp(expression, flags);
      return [{ name: expression, expression, flags }];
    } catch {}
  }
  return [];
}

class Eye implements PatternWatch {
  readonly #patterns: readonly Pattern[];
  readonly #news: PatternNews;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #progress = new SharedArrayBuffer(4);
  #worker: Worker | undefined;
  #isUp = false;
  /** Indexes into the patterns. */
  #wanted: number[] = [];
  /** All of the present text, for a thread that has to begin again. */
  #text = '';
  #waiting = '';
  #isNew = true;
  #busy: Deferred<void> | undefined;
  #cancel = () => {};

  constructor(patterns: readonly Pattern[], news: PatternNews, clock: Pick<Clock, 'after'>) {
    this.#patterns = patterns;
    this.#news = news;
    this.#clock = clock;
  }

  begin(names: readonly string[]): void {
    this.#wanted = this.#patterns.flatMap(({ name }, at) => (names.includes(name) ? [at] : []));
    this.#text = '';
    this.#waiting = '';
    this.#isNew = true;
  }

  feed(text: string): void {
    if (this.#wanted.length === 0) return;
    this.#text += text;
    this.#waiting += text;
    // One piece at a time: what comes meanwhile is looked at together.
    if (!this.#busy) this.#send();
  }

  async settled(): Promise<void> {
    while (this.#busy) await this.#busy.promise;
  }

  close(): void {
    this.#cancel();
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#rest();
  }

  #send(): void {
    const worker = this.#worker ?? this.#start();
    this.#busy ??= deferred();
    worker.postMessage({ piece: this.#waiting, isNew: this.#isNew, wanted: this.#wanted });
    this.#waiting = '';
    this.#isNew = false;
    if (this.#isUp) this.#wait();
  }

  #wait(): void {
    this.#cancel = this.#clock.after(PATIENCE_MS, () => this.#lose());
  }

  #start(): Worker {
    const workerData = { patterns: this.#patterns, progress: this.#progress };
    const worker = new Worker(PROGRAM, { eval: true, workerData, env: {}, stdout: true, stderr: true });
    worker.unref();
    // Patience begins when the thread is up: how long that takes is the machine's doing.
    worker.once('online', () => {
      if (worker !== this.#worker || this.#isUp) return;
      this.#isUp = true;
      if (this.#busy) this.#wait();
    });
    worker.on('message', (found: number[]) => {
      if (worker !== this.#worker) return;
      this.#isUp = true;
      this.#hear(found);
    });
    worker.on('error', () => {
      if (worker === this.#worker) this.#lose();
    });
    this.#worker = worker;
    this.#isUp = false;
    return worker;
  }

  #hear(found: readonly number[]): void {
    this.#cancel();
    if (found.length > 0 && !this.#isNew) {
      const isFound = (at: number) => found.includes(at);
      this.#news.found(this.#wanted.filter(isFound).map((at) => this.#patterns[at]?.name ?? ''));
      this.#wanted = this.#wanted.filter((at) => !isFound(at));
      this.#waiting = '';
    }
    if (this.#waiting !== '' && this.#wanted.length > 0) this.#send();
    else this.#rest();
  }

  /** The others go on without it, from the beginning of the text. */
  #lose(): void {
    this.#cancel();
    const at = Atomics.load(new Int32Array(this.#progress), 0);
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#wanted = this.#wanted.filter((other) => other !== at);
    this.#news.lost(this.#patterns[at]?.name ?? '');
    this.#waiting = this.#text;
    this.#isNew = true;
    if (this.#waiting !== '' && this.#wanted.length > 0) this.#send();
    else this.#rest();
  }

  #rest(): void {
    const busy = this.#busy;
    this.#busy = undefined;
    busy?.resolve();
  }
}
