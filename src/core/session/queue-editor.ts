// Lists and changes single queued messages. Loaded with the first use.
// A change applies at once and is then written, so that a run that takes the message meanwhile gets the changed one: its delivery is
// written after the change. If the change cannot be written, it is undone.
import { Fault } from '../../base/index.ts';
import type { QueuedMessageInfo, QueueEditor, QueueRequest, UserInput } from '../../contracts/index.ts';
import { extractText, type ImageContent, type UserMessage } from '../../protocol/index.ts';
import type { InputPipeline } from './input-pipeline.ts';
import type { OutcomeListener } from './prompt-outcomes.ts';
import type { QueuedItem } from './restore-state.ts';
import { createUserMessage, validateInput } from './user-input.ts';

export interface QueuedMessage extends QueuedItem {
  /** On disk. */
  isSaved: boolean;
  /** It was queued for a run that has ended, or was in the log of a resumed session. It goes before later prompts. */
  isOverdue: boolean;
  /** Absent for messages that are not prompts, and for those from a log. */
  onOutcome?: OutcomeListener | undefined;
}

/** An accepted message that was not run. */
export interface UnrunMessage extends Pick<QueueRequest, 'onNotRun'> {
  message: QueuedItem['message'];
  /** The log that holds it. */
  readonly file: string | undefined;
}

/** The queues, for code that changes single messages. */
interface EditableQueues {
  items: QueuedMessage[];
  /** By item id. */
  readonly unrunMessages: Map<string, UnrunMessage>;
  /** Ids of the messages that a run has taken. */
  readonly takenIds: ReadonlySet<string>;
  /** Resolves when the change is on disk. */
  append(data: Record<string, unknown>): Promise<void>;
  /** The messages have left the queues and are not run. */
  reportRemoved(items: readonly QueuedMessage[]): void;
  emitUpdate(): void;
  readonly getInputPipeline?: (() => InputPipeline) | undefined;
  now(): number;
}

export function createQueueEditor(queues: EditableQueues): QueueEditor {
  return {
    list: () => queues.items.filter((item) => item.isSaved).map(describeItem),
    edit: (id, text, options) => editItem(queues, id, text, options?.onDelayed),
    remove: (id) => removeItem(queues, id),
    move: (id, to) => moveItem(queues, id, to),
  };
}

function describeItem({ id, kind, message: { content } }: QueuedMessage): QueuedMessageInfo {
  const images = typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image').length;
  return { id, kind, text: extractText(content), images };
}

async function editItem(
  queues: EditableQueues,
  id: string,
  text: string,
  onDelayed: (() => void) | undefined,
): Promise<'queued' | 'handled'> {
  const item = findItem(queues, id);
  const previous = item.message;
  if (previous.role === 'custom')
    throw new Fault(
      'refused',
      `The queued message ${id} is from an extension. It can be moved and removed, not edited`,
    );
  const input = { ...readInput(previous), message: text, onDelayed };
  validateInput(input);
  const inputPipeline = queues.getInputPipeline?.();
  const processed = inputPipeline?.isPassThrough === false ? await inputPipeline.run(input, item.kind) : input;
  if (!processed) return 'handled';
  // An extension may have taken long: meanwhile the message can be taken or removed.
  findItem(queues, id);
  const message = createUserMessage(processed, queues.now());
  item.message = message;
  try {
    await queues.append({ op: 'edit', id, message });
  } catch (problem) {
    if (!queues.items.includes(item)) return 'queued';
    item.message = previous;
    throw problem;
  }
  const unrun = queues.unrunMessages.get(id);
  if (unrun) unrun.message = message;
  queues.emitUpdate();
  return 'queued';
}

async function removeItem(queues: EditableQueues, id: string): Promise<string> {
  const item = findItem(queues, id);
  const next = queues.items[queues.items.indexOf(item) + 1];
  queues.items = queues.items.filter((other) => other !== item);
  try {
    await queues.append({ op: 'clear', ids: [id] });
  } catch (problem) {
    queues.items = insertBefore(queues.items, item, next);
    throw problem;
  }
  queues.unrunMessages.delete(id);
  queues.reportRemoved([item]);
  queues.emitUpdate();
  return extractText(item.message.content);
}

async function moveItem(
  queues: EditableQueues,
  id: string,
  { index, kind }: Parameters<QueueEditor['move']>[1],
): Promise<void> {
  const item = findItem(queues, id);
  const previous = { kind: item.kind, next: queues.items[queues.items.indexOf(item) + 1] };
  const others = queues.items.filter((other) => other !== item);
  item.kind = kind ?? item.kind;
  const before = index === undefined ? undefined : others.filter((other) => other.kind === item.kind)[index];
  queues.items = insertBefore(others, item, before);
  try {
    await queues.append({ op: 'move', id, kind: item.kind, before: before?.id ?? null });
  } catch (problem) {
    // A run that has taken the message meanwhile has delivered it from its new place.
    if (!queues.items.includes(item)) return;
    item.kind = previous.kind;
    const rest = queues.items.filter((other) => other !== item);
    queues.items = insertBefore(rest, item, previous.next);
    throw problem;
  }
  queues.emitUpdate();
}

function findItem({ items, takenIds }: EditableQueues, id: string): QueuedMessage {
  const item = items.find((other) => other.id === id && other.isSaved);
  if (item) return item;
  if (takenIds.has(id)) {
    const details = { reason: 'already_taken' };
    throw new Fault('refused', `The message ${id} has already been taken by a run`, { details });
  }
  throw new Fault('not_found', `No queued message has the id ${id}. Call get_queue for the queued messages.`);
}

/** Without `next`, or if it has left the queue: at the end. */
function insertBefore(
  items: readonly QueuedMessage[],
  item: QueuedMessage,
  next: QueuedMessage | undefined,
): QueuedMessage[] {
  const at = next ? items.indexOf(next) : -1;
  return at < 0 ? [...items, item] : [...items.slice(0, at), item, ...items.slice(at)];
}

function readInput({ content, attachments }: UserMessage): Omit<UserInput, 'message'> {
  const images =
    typeof content === 'string' ? [] : content.filter((block): block is ImageContent => block.type === 'image');
  return { images, attachments };
}
