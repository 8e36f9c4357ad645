// Rendering in a thread: what happens when a text takes too long, or the thread cannot be started.
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createRenderMarkup, type MarkupThreadOptions } from '../../../src/app/system-ports/markup-thread.ts';
import type { Markup } from '../../../src/contracts/index.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';

const markdown = (text: string): Markup => ({ kind: 'markdown', text });

/** Threads that answer every text but those that begin with `slow`, at which they stop for ever. */
function scriptedThreads() {
  const clock = createFakeClock();
  let [started, ended] = [0, 0];
  const start: MarkupThreadOptions['start'] = () => {
    started += 1;
    const thread = Object.assign(new EventEmitter(), {
      async postMessage(texts: readonly Markup[]) {
        for (const { text } of texts) {
          if (text.startsWith('slow')) return void queueMicrotask(() => clock.advance(3000));
          await Promise.resolve();
          thread.emit('message', { html: `<p>${text}</p>` });
        }
      },
      async terminate() {
        ended += 1;
        return 0;
      },
    });
    queueMicrotask(() => thread.emit('message', 'ready'));
    return thread as never;
  };
  return { render: createRenderMarkup({ clock, start }), counts: () => ({ started, ended }) };
}

test('a text that takes too long is left out, and the others are rendered by another thread', async () => {
  const { render, counts } = scriptedThreads();
  const rendered = await render([markdown('slow one'), markdown('a'), markdown('a longer one')]);
  expect(rendered).toEqual([undefined, '<p>a</p>', '<p>a longer one</p>']);
  expect(counts()).toEqual({ started: 2, ended: 2 });
});

test('after three of them the rest is left as it was written; short texts come first', async () => {
  const { render, counts } = scriptedThreads();
  const slow = ['slow 1 ......', 'slow 2 ......', 'slow 3 ......'].map(markdown);
  const rendered = await render([...slow, markdown('short'), markdown(`long ${'.'.repeat(20)}`)]);
  expect(rendered).toEqual([undefined, undefined, undefined, '<p>short</p>', undefined]);
  expect(counts()).toEqual({ started: 3, ended: 3 });
});

test('without a thread nothing is rendered', async () => {
  const clock = createFakeClock();
  const start = () => {
    const thread = Object.assign(new EventEmitter(), { postMessage: () => {}, terminate: async () => 0 });
    queueMicrotask(() => thread.emit('error', new Error('no such file')));
    return thread as never;
  };
  expect(await createRenderMarkup({ clock, start })([markdown('a'), markdown('b')])).toEqual([undefined, undefined]);
});
