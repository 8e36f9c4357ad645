// Rendering in a thread: a text that takes too long, and a thread that cannot be started.
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createRenderMarkup, type RenderMarkupOptions } from '../../../src/app/system-ports/render-markup.ts';
import type { Markup } from '../../../src/contracts/index.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';

const markdown = (text: string): Markup => ({ kind: 'markdown', text });

/** Threads that answer every text except those that start with `slow`, at which they hang. */
function createScriptedThreads() {
  const clock = createFakeClock();
  let [started, ended] = [0, 0];
  const start: RenderMarkupOptions['start'] = () => {
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

test('a text that takes too long is not rendered, and a new thread renders the others', async () => {
  const { render, counts } = createScriptedThreads();
  const rendered = await render([markdown('slow one'), markdown('a'), markdown('a longer one')]);
  expect(rendered).toEqual([undefined, '<p>a</p>', '<p>a longer one</p>']);
  expect(counts()).toEqual({ started: 2, ended: 2 });
});

test('after three timeouts the remaining texts are not rendered; short texts are rendered first', async () => {
  const { render, counts } = createScriptedThreads();
  const slow = ['slow 1 ......', 'slow 2 ......', 'slow 3 ......'].map(markdown);
  const rendered = await render([...slow, markdown('short'), markdown(`long ${'.'.repeat(20)}`)]);
  expect(rendered).toEqual([undefined, undefined, undefined, '<p>short</p>', undefined]);
  expect(counts()).toEqual({ started: 3, ended: 3 });
});

test('nothing is rendered when the thread cannot be started', async () => {
  const clock = createFakeClock();
  const start = () => {
    const thread = Object.assign(new EventEmitter(), { postMessage: () => {}, terminate: async () => 0 });
    queueMicrotask(() => thread.emit('error', new Error('no such file')));
    return thread as never;
  };
  expect(await createRenderMarkup({ clock, start })([markdown('a'), markdown('b')])).toEqual([undefined, undefined]);
});
