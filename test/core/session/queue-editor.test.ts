// Changes of queued messages while a run takes them, with a log whose writes succeed, fail or are still pending when the process ends.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDeferred, type Deferred } from '../../../src/base/index.ts';
import type { InputPipeline } from '../../../src/core/session/input-pipeline.ts';
import { PromptOutcomes } from '../../../src/core/session/prompt-outcomes.ts';
import { QueueFacet } from '../../../src/core/session/queue-facet.ts';
import { restoreState } from '../../../src/core/session/restore-state.ts';
import type { SessionState } from '../../../src/core/session/session-state.ts';
import {
  type AgentEvent,
  type AgentMessage,
  type EntryBody,
  extractText,
  type UserMessage,
} from '../../../src/protocol/index.ts';
import { createPath } from '../entries.ts';

type Kind = 'steer' | 'followUp';

const userMessage = (text: string): UserMessage => ({ role: 'user', content: [{ type: 'text', text }], timestamp: 0 });
const readText = (message: AgentMessage) => extractText((message as UserMessage).content);

interface PendingWrite {
  readonly bodies: readonly EntryBody[];
  readonly done: Deferred<void>;
  /** An entry that is kept in memory when it cannot be written, and written with the next one. */
  readonly isRecord: boolean;
}

/** Queues over a log whose writes the test completes, in their order. */
async function open(inputPipeline?: Partial<InputPipeline>) {
  const pending: PendingWrite[] = [];
  const log: EntryBody[] = [];
  const delivered: string[] = [];
  const events: AgentEvent[] = [];
  let idCount = 0;
  const write = (bodies: readonly EntryBody[], isRecord: boolean) => {
    const done = createDeferred();
    pending.push({ bodies, done, isRecord });
    return done.promise;
  };
  const state = {
    options: { steeringMode: 'one-at-a-time', followUpMode: 'all', interruptMode: 'wait' },
    ports: { ids: { entryId: () => `q${++idCount}` }, clock: { now: () => 7 } },
    broadcast: { emit: (event: AgentEvent) => void events.push(event) },
    conversation: {
      file: '/log.jsonl',
      commit: (bodies: readonly EntryBody[]) => write(bodies, false),
      record: (bodies: readonly EntryBody[]) => write(bodies, true),
    },
  } as unknown as SessionState;
  const getInputPipeline = () => (inputPipeline ?? { isPassThrough: true }) as InputPipeline;
  const facet = new QueueFacet(state, new PromptOutcomes(() => true), { getInputPipeline });
  const editor = await facet.loadEditor();
  const queues = {
    add: facet.add.bind(facet),
    take: facet.take.bind(facet),
    clear: facet.clear.bind(facet),
    reportNotRun: facet.reportNotRun.bind(facet),
    ...editor,
  };
  return {
    ...{ queues, log, delivered, events, pending },
    completeWrite(isSuccessful: boolean) {
      const next = pending.shift();
      if (!next) return;
      if (isSuccessful || next.isRecord) log.push(...next.bodies);
      if (isSuccessful || next.isRecord) next.done.resolve();
      else next.done.reject(new Error('disk full'));
    },
    take(kind: Kind) {
      for (const { message, store } of queues.take(kind)) {
        delivered.push(readText(message));
        void store();
      }
    },
    restore: () => restoreState(createPath(...log)).queued,
  };
}

type Queue = Awaited<ReturnType<typeof open>>;

/** Lets lazy imports and all microtasks run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

async function add(queue: Queue, kind: Kind, text: string): Promise<string> {
  const added = queue.queues.add(kind, userMessage(text));
  queue.completeWrite(true);
  await added;
  return queue.queues.list().at(-1)?.id ?? '';
}

async function apply<T>(queue: Queue, change: Promise<T>): Promise<T> {
  await settle();
  while (queue.pending.length > 0) queue.completeWrite(true);
  return change;
}

const groupByKind = (items: readonly { id: string; kind: Kind; text: string }[]) =>
  (['steer', 'followUp'] as const).map((kind) => items.filter((item) => item.kind === kind).map(({ text }) => text));

describe('one change', () => {
  test('an edit that a run overtakes is delivered with the new text, once', async () => {
    const queue = await open();
    const id = await add(queue, 'followUp', 'old');
    const edited = queue.queues.edit(id, 'new');
    await settle();
    queue.take('followUp');
    queue.completeWrite(true);
    queue.completeWrite(true);
    expect(await edited).toBe('queued');
    expect(queue.delivered).toEqual(['new']);
    expect(queue.restore()).toEqual([]);
    await expect(queue.queues.remove(id)).rejects.toMatchObject({
      code: 'refused',
      details: { reason: 'already_taken' },
    });
  });

  test('a message that is being removed is not taken by a run', async () => {
    const queue = await open();
    const id = await add(queue, 'followUp', 'one');
    const removed = queue.queues.remove(id);
    await settle();
    queue.take('followUp');
    queue.completeWrite(true);
    expect(await removed).toBe('one');
    expect(queue.delivered).toEqual([]);
    queue.queues.reportNotRun('the test ends');
    expect(queue.events.filter(({ type }) => type === 'notice')).toEqual([]);
  });

  test('a change that cannot be written is undone, and no event reports it', async () => {
    const queue = await open();
    const ids = [await add(queue, 'followUp', 'a'), await add(queue, 'followUp', 'b'), await add(queue, 'steer', 'c')];
    const [a = '', b = '', c = ''] = ids;
    const before = queue.queues.list();
    const eventCount = queue.events.length;
    for (const change of [
      () => queue.queues.edit(a, 'changed'),
      () => queue.queues.remove(b),
      () => queue.queues.move(b, { index: 0 }),
      () => queue.queues.move(c, { kind: 'followUp', index: 1 }),
    ]) {
      const failing = change();
      await settle();
      queue.completeWrite(false);
      await expect(failing).rejects.toThrow('disk full');
      expect(queue.queues.list()).toEqual(before);
    }
    expect(queue.events).toHaveLength(eventCount);
  });

  test('an edited message keeps its images, its attachments and its place', async () => {
    const queue = await open();
    const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };
    const document = { id: 'd', type: 'document' as const, fileName: 'a.txt', mimeType: 'text/plain', size: 1 };
    const attachments = [{ ...document, content: '', extractedText: 'A' }];
    const content = [{ type: 'text' as const, text: 'old' }, image];
    const added = queue.queues.add('steer', { role: 'user', content, attachments, timestamp: 0 });
    queue.completeWrite(true);
    await added;
    await add(queue, 'steer', 'next');
    const [item] = queue.queues.list();
    await apply(queue, queue.queues.edit(item?.id ?? '', 'new'));
    expect(queue.queues.list()).toMatchObject([
      { id: item?.id, text: 'new', images: 1 },
      { text: 'next', images: 0 },
    ]);
    const restored = queue.restore()[0];
    expect(restored?.message).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'new' }, image],
      attachments,
      timestamp: 7,
    });
  });

  test('a message of an extension can be moved and removed, not edited', async () => {
    const queue = await open();
    const added = queue.queues.add('steer', {
      role: 'custom',
      customType: 'x',
      content: 'note',
      display: true,
      timestamp: 0,
    });
    queue.completeWrite(true);
    await added;
    const [item] = queue.queues.list();
    await expect(queue.queues.edit(item?.id ?? '', 'new')).rejects.toMatchObject({ code: 'refused' });
    await apply(queue, queue.queues.move(item?.id ?? '', { kind: 'followUp' }));
    expect(queue.restore()).toMatchObject([{ kind: 'followUp', message: { role: 'custom', content: 'note' } }]);
    expect(await apply(queue, queue.queues.remove(item?.id ?? ''))).toBe('note');
    expect(queue.restore()).toEqual([]);
  });

  test('a new text that is not run unchanged: an input hook changes it, handles it, or takes until a run has the message', async () => {
    const results: unknown[] = [{ message: 'by the hook' }, undefined];
    const slow = createDeferred<unknown>();
    const run = async (input: object) => (results.length > 0 ? mergeInput(input, results.shift()) : slow.promise);
    const queue = await open({ isPassThrough: false, run } as never);
    const id = await add(queue, 'followUp', 'old');
    expect(await apply(queue, queue.queues.edit(id, 'x'))).toBe('queued');
    expect(queue.queues.list()).toMatchObject([{ text: 'by the hook' }]);
    expect(await queue.queues.edit(id, '/command')).toBe('handled');
    expect(queue.queues.list()).toMatchObject([{ text: 'by the hook' }]);
    const late = queue.queues.edit(id, 'late');
    await settle();
    queue.take('followUp');
    slow.resolve({ message: 'late' });
    await expect(late).rejects.toMatchObject({ details: { reason: 'already_taken' } });
    expect(queue.delivered).toEqual(['by the hook']);
  });
});

function mergeInput(input: object, result: unknown): unknown {
  return result === undefined ? undefined : { ...input, ...(result as object) };
}

type Step =
  | { do: 'add'; kind: Kind }
  | { do: 'take'; kind: Kind }
  | { do: 'edit' | 'remove'; at: number }
  | { do: 'move'; at: number; index: number | undefined; kind: Kind | undefined }
  | { do: 'clear' }
  | { do: 'write'; isSuccessful: boolean };

const kind = fc.constantFrom<Kind>('steer', 'followUp');
const at = fc.nat({ max: 5 });
const createSteps = (canFail: boolean): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), kind }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('take' as const), kind }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('edit' as const, 'remove' as const), at }) },
      {
        weight: 3,
        arbitrary: fc.record({
          ...{ do: fc.constant('move' as const), at },
          index: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
          kind: fc.option(kind, { nil: undefined }),
        }),
      },
      { weight: 1, arbitrary: fc.constant({ do: 'clear' as const }) },
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant('write' as const),
          isSuccessful: canFail ? fc.boolean() : fc.constant(true),
        }),
      },
    ),
    { minLength: 3, maxLength: 40 },
  );

/** Runs the steps. `check` is called after each. */
async function runSteps(queue: Queue, steps: readonly Step[], check: () => void): Promise<void> {
  const { queues } = queue;
  let count = 0;
  const refused: unknown[] = [];
  const start = (work: Promise<unknown>) => void work.catch((problem) => refused.push(problem));
  for (const step of steps) {
    const items = queues.list();
    const id = 'at' in step ? (items[step.at % Math.max(1, items.length)]?.id ?? 'none') : '';
    if (step.do === 'add') start(queues.add(step.kind, userMessage(`m${++count}`)));
    if (step.do === 'take') queue.take(step.kind);
    if (step.do === 'edit') start(queues.edit(id, `${items.find((item) => item.id === id)?.text}'`));
    if (step.do === 'remove') start(queues.remove(id));
    if (step.do === 'move') start(queues.move(id, { index: step.index, kind: step.kind }));
    if (step.do === 'clear') start(queues.clear());
    if (step.do === 'write') queue.completeWrite(step.isSuccessful);
    await settle();
    check();
  }
  while (queue.pending.length > 0) queue.completeWrite(true);
  await settle();
}

/** A message keeps its number when it is edited. */
const getNumber = (text: string | undefined) => text?.replace(/'+$/, '');

describe('many changes in any order', () => {
  test('the log restores the queues as they are, and no message is delivered twice', async () => {
    await fc.assert(
      fc.asyncProperty(createSteps(false), async (steps) => {
        const queue = await open();
        await runSteps(queue, steps, () => {});
        const restored = queue.restore().map(({ message, ...item }) => ({ ...item, text: readText(message) }));
        expect(groupByKind(restored)).toEqual(groupByKind(queue.queues.list()));
        const numbers = [...queue.delivered, ...restored.map(({ text }) => text)].map(getNumber);
        expect(new Set(numbers).size).toBe(numbers.length);
      }),
    );
  });

  test('when writes fail or the process ends, an acknowledged message is in the log exactly once until it is delivered or removed', async () => {
    await fc.assert(
      fc.asyncProperty(createSteps(true), async (steps) => {
        const queue = await open();
        await runSteps(queue, steps, () => {
          const logged = queue.log.flatMap((body) =>
            body.type === 'message' && body.queueId !== undefined ? [readText(body.message)] : [],
          );
          const ids = queue.restore().map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          const texts = [...logged, ...queue.restore().map(({ message }) => readText(message))].map(getNumber);
          expect(new Set(texts).size).toBe(texts.length);
          for (const { id } of queue.queues.list()) expect(ids).toContain(id);
        });
        const ids = queue.restore().map(({ id }) => id);
        expect(ids.toSorted()).toEqual(
          queue.queues
            .list()
            .map(({ id }) => id)
            .toSorted(),
        );
      }),
    );
  });
});
