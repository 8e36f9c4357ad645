// The queued messages of a session, with the ids that are known.
import type { Queues } from '../wire/server-frames.ts';

export interface QueuedMessage {
  readonly id: string;
  readonly kind: 'steer' | 'followUp';
  readonly text: string;
  readonly images: number;
}

/** Messages that are known keep their ids, so that one that is being edited stays open while the ids of the others are loaded. */
export function listQueuedMessages({ steering, followUp }: Queues, known: readonly QueuedMessage[]): QueuedMessage[] {
  const left = [...known];
  const create = (kind: QueuedMessage['kind']) => (text: string, at: number) => {
    const found = left.findIndex((message) => message.kind === kind && message.text === text);
    const [message] = found < 0 ? [] : left.splice(found, 1);
    return message ?? { id: `${kind}.${at}`, kind, text, images: 0 };
  };
  return [...steering.map(create('steer')), ...followUp.map(create('followUp'))];
}

/** Steering messages are delivered before the others, whenever they were written. */
export function sortQueue(messages: readonly QueuedMessage[]): QueuedMessage[] {
  return [...messages].sort((one, other) => Number(one.kind === 'followUp') - Number(other.kind === 'followUp'));
}
