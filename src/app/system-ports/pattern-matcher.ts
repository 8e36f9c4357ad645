// Matches regular expressions in a worker thread, so that a slow one does not block the agent and can be terminated.
import { Worker } from 'node:worker_threads';
import { createDeferred, type Deferred } from '../../base/deferred.ts';
import type {
  CreatePatternMatcher,
  Pattern,
  PatternListener,
  PatternMatcher,
  TestPatterns,
} from '../../contracts/pattern-matcher.ts';
import type { Clock } from '../../contracts/ports.ts';

/** An expression that takes longer is dropped. Long, because the machine may be busy. */
const TIMEOUT_MS = 3000;
/** A match may start at most this far before the new text. */
const MATCH_WINDOW_CHARS = 32 * 1024;

/** Answers each chunk of text once. `progress` holds the index of the expression being tried; it is read after a timeout. */
const WORKER_SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const progress = new Int32Array(workerData.progress);
const expressions = workerData.patterns.map(({ expression, flags = '' }) => new RegExp(expression, 'g' + flags));
let text = '';
parentPort.on('message', ({ chunk, isNew, active }) => {
  if (isNew) text = '';
  const from = Math.max(0, text.length - ${MATCH_WINDOW_CHARS});
  text += chunk;
  const found = active.filter((at) => {
    Atomics.store(progress, 0, at);
    expressions[at].lastIndex = from;
    return expressions[at].test(text);
  });
  parentPort.postMessage(found);
});
`;

export function createPatternMatcherFactory({ clock }: { clock: Pick<Clock, 'after'> }): CreatePatternMatcher {
  return (patterns, listener) => new WorkerPatternMatcher(patterns, listener, clock);
}

/** Tests the pairs one after the other in one thread. An expression that has timed out is not tried again. */
export function createTestPatterns(ports: { clock: Pick<Clock, 'after'> }): TestPatterns {
  return async (pairs) => {
    const patterns = [...new Set(pairs.map(({ expression }) => expression))].flatMap(toPatterns);
    const validExpressions = new Set(patterns.map(({ name }) => name));
    const timedOut = new Set<string>();
    let isFound = false;
    const matcher = createPatternMatcherFactory(ports)(patterns, {
      onMatch: () => {
        isFound = true;
      },
      onTimeout: (name) => void timedOut.add(name),
    });
    const results: (boolean | undefined)[] = [];
    for (const { expression, text } of pairs) {
      isFound = !validExpressions.has(expression);
      if (!isFound && !timedOut.has(expression)) {
        matcher.reset([expression]);
        matcher.feed(text);
        await matcher.waitUntilSettled();
      }
      results.push(timedOut.has(expression) ? undefined : isFound);
    }
    matcher.close();
    return results;
  };
}

/** Uses the `u` flag as JSON Schema requires, and no flag if the expression is invalid with it. Empty if it is invalid in both. */
function toPatterns(expression: string): Pattern[] {
  for (const flags of ['u', '']) {
    try {
      new RegExp(expression, flags);
      return [{ name: expression, expression, flags }];
    } catch {}
  }
  return [];
}

class WorkerPatternMatcher implements PatternMatcher {
  readonly #patterns: readonly Pattern[];
  readonly #callbacks: PatternListener;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #progress = new SharedArrayBuffer(4);
  #worker: Worker | undefined;
  #isOnline = false;
  /** Indexes into the patterns. */
  #activePatterns: number[] = [];
  /** The whole current text, for a new thread that has to start again. */
  #text = '';
  #pendingText = '';
  #isNew = true;
  #pendingWork: Deferred<void> | undefined;
  #cancelTimer = () => {};

  constructor(patterns: readonly Pattern[], listener: PatternListener, clock: Pick<Clock, 'after'>) {
    this.#patterns = patterns;
    this.#callbacks = listener;
    this.#clock = clock;
  }

  reset(names: readonly string[]): void {
    this.#activePatterns = this.#patterns.flatMap(({ name }, at) => (names.includes(name) ? [at] : []));
    this.#text = '';
    this.#pendingText = '';
    this.#isNew = true;
  }

  feed(text: string): void {
    if (this.#activePatterns.length === 0) return;
    this.#text += text;
    this.#pendingText += text;
    // One chunk at a time: text that arrives in the meantime is sent as one chunk.
    if (!this.#pendingWork) this.#send();
  }

  async waitUntilSettled(): Promise<void> {
    while (this.#pendingWork) await this.#pendingWork.promise;
  }

  close(): void {
    this.#cancelTimer();
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#finish();
  }

  #send(): void {
    const worker = this.#worker ?? this.#start();
    this.#pendingWork ??= createDeferred();
    worker.postMessage({ chunk: this.#pendingText, isNew: this.#isNew, active: this.#activePatterns });
    this.#pendingText = '';
    this.#isNew = false;
    if (this.#isOnline) this.#startTimer();
  }

  #startTimer(): void {
    this.#cancelTimer = this.#clock.after(TIMEOUT_MS, () => this.#dropSlowPattern());
  }

  #start(): Worker {
    const workerData = { patterns: this.#patterns, progress: this.#progress };
    const worker = new Worker(WORKER_SOURCE, { eval: true, workerData, env: {}, stdout: true, stderr: true });
    worker.unref();
    // The timeout starts when the thread is online, because the start of the thread depends on the load of the machine.
    worker.once('online', () => {
      if (worker !== this.#worker || this.#isOnline) return;
      this.#isOnline = true;
      if (this.#pendingWork) this.#startTimer();
    });
    worker.on('message', (found: number[]) => {
      if (worker !== this.#worker) return;
      this.#isOnline = true;
      this.#handleResult(found);
    });
    worker.on('error', () => {
      if (worker === this.#worker) this.#dropSlowPattern();
    });
    this.#worker = worker;
    this.#isOnline = false;
    return worker;
  }

  #handleResult(found: readonly number[]): void {
    this.#cancelTimer();
    if (found.length > 0 && !this.#isNew) {
      const isFound = (at: number) => found.includes(at);
      this.#callbacks.onMatch(this.#activePatterns.filter(isFound).map((at) => this.#patterns[at]?.name ?? ''));
      this.#activePatterns = this.#activePatterns.filter((at) => !isFound(at));
      this.#pendingText = '';
    }
    if (this.#pendingText !== '' && this.#activePatterns.length > 0) this.#send();
    else this.#finish();
  }

  /** Drops the pattern that timed out, and tests the others again from the beginning of the text. */
  #dropSlowPattern(): void {
    this.#cancelTimer();
    const at = Atomics.load(new Int32Array(this.#progress), 0);
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#activePatterns = this.#activePatterns.filter((other) => other !== at);
    this.#callbacks.onTimeout(this.#patterns[at]?.name ?? '');
    this.#pendingText = this.#text;
    this.#isNew = true;
    if (this.#pendingText !== '' && this.#activePatterns.length > 0) this.#send();
    else this.#finish();
  }

  #finish(): void {
    const pendingWork = this.#pendingWork;
    this.#pendingWork = undefined;
    pendingWork?.resolve();
  }
}
