// Commands that list, edit, remove and move single queued messages. A change is on disk before it is acknowledged.
import { array, integer, minValue, number, object, optional, picklist, pipe, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { command } from '../contracts/index.ts';

const queueKind = picklist(['steer', 'followUp']);

export const getQueue = command({
  name: 'get_queue',
  stability: 'experimental',
  doc: 'The queued messages of both queues, in the order in which they are delivered within their queue. `images` is the number of images of the message.',
  lane: 'now',
  access: 'read',
  params: object({}),
  result: object({ items: array(object({ id: string(), kind: queueKind, text: string(), images: number() })) }),
  run: async (_, { session }) => ({ items: [...(await session.queues.loadEditor()).list()] }),
});

export const editQueuedMessage = command({
  name: 'edit_queued_message',
  stability: 'experimental',
  doc: 'Replace the text of a queued message, given by its id in get_queue; images and attachments stay. Extensions process the new text as they process a new message: if one has handled it (`disposition` is `handled`), the queued message is not changed. Refused with the code `already_taken` when a run has taken the message.',
  lane: 'ordered',
  params: object({ messageId: string(), message: string() }),
  result: object({ disposition: picklist(['queued', 'handled']) }),
  examples: [{ messageId: '1c0ffee1', message: 'Then run the unit tests' }],
  run: async ({ messageId, message }, { session, markSlow }) => ({
    disposition: await (await session.queues.loadEditor()).edit(messageId, message, { onDelayed: markSlow }),
  }),
});

export const removeQueuedMessage = command({
  name: 'remove_queued_message',
  stability: 'experimental',
  doc: 'Remove a queued message and return its text. Refused with the code `already_taken` when a run has taken it.',
  lane: 'ordered',
  params: object({ messageId: string() }),
  result: object({ text: string() }),
  examples: [{ messageId: '1c0ffee1' }],
  run: async ({ messageId }, { session }) => ({ text: await (await session.queues.loadEditor()).remove(messageId) }),
});

export const moveQueuedMessage = command({
  name: 'move_queued_message',
  stability: 'experimental',
  doc: 'Move a queued message within its queue, or with `kind` to the other queue. `index` is its new place in the queue; by default the end. Refused with the code `already_taken` when a run has taken it.',
  lane: 'ordered',
  params: object({
    messageId: string(),
    index: optional(pipe(number(), integer('must be a whole number'), minValue(0, 'must be 0 or more'))),
    kind: optional(queueKind),
  }),
  examples: [{ messageId: '1c0ffee1', index: 0 }],
  async run({ messageId, index, kind }, { session }) {
    if (index === undefined && kind === undefined)
      throw new Fault('invalid_params', 'Nothing to change: give index, kind or both');
    await (await session.queues.loadEditor()).move(messageId, { index, kind });
  },
});
