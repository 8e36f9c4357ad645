// First floor, core: what a conversation says about itself: the model, the level, what waits to be delivered. Pure.
import { array, type InferOutput, is, object, picklist, safeParse, string, union } from 'valibot';
import { isRecord } from '../../base/index.ts';
import type { Digest, SketchedEntry } from '../../contracts/index.ts';
import {
  type AgentMessage,
  bashExecutionMessage,
  customMessage,
  type SessionEntry,
  type ThinkingLevel,
  thinkingLevel,
  userMessage,
} from '../../protocol/index.ts';
import { isDigest, isUnread } from '../tree/context-path.ts';

export const QUEUE_ENTRY = 'parley.queue';
export const SHELL_ENTRY = 'parley.shell';
/** Written with every compaction: what an earlier part of the log, which nobody reads again, said last. */
export const CHECKPOINT_ENTRY = 'parley.checkpoint';

const queuedItem = object({
  id: string(),
  kind: picklist(['steer', 'followUp']),
  message: union([userMessage, customMessage]),
});
const heldItem = object({ id: string(), message: bashExecutionMessage });
const chosenModel = object({ provider: string(), modelId: string() });

export type QueuedItem = InferOutput<typeof queuedItem>;
export type HeldItem = InferOutput<typeof heldItem>;

export interface Checkpoint {
  name?: string | undefined;
  model?: InferOutput<typeof chosenModel> | undefined;
  thinkingLevel?: ThinkingLevel | undefined;
  queued: readonly QueuedItem[];
  held: readonly HeldItem[];
  /** Rules that have acted, by name. */
  injectedRules?: readonly string[] | undefined;
  /** Of the budget; see `parley.budget`. */
  spent?: object | undefined;
}

export interface Restored {
  model: InferOutput<typeof chosenModel> | undefined;
  thinkingLevel: ThinkingLevel | undefined;
  queued: QueuedItem[];
  held: HeldItem[];
}

export function restored(path: readonly SketchedEntry[]): Restored {
  const state: Restored = { model: undefined, thinkingLevel: undefined, queued: [], held: [] };
  for (const entry of telling(path)) apply(state, entry);
  return state;
}

/** Without reading what says nothing here: of the unread messages, the newest answer and what left a queue. */
function telling(path: readonly SketchedEntry[]): (SessionEntry | Digest)[] {
  const queues = path.some((entry) => entry.type === 'custom' && CUSTOM.has(entry.customType));
  let answered = false;
  const found = path.toReversed().flatMap((entry) => {
    if (!isUnread(entry)) return entry;
    const wanted = (!answered && entry.role === 'assistant') || (queues && entry.mentions('"queueId"'));
    const read = wanted ? entry.read() : undefined;
    if (read?.type === 'message' && chosenBy(read.message)) answered = true;
    return read ?? [];
  });
  return found.reverse();
}

function apply(state: Restored, entry: SessionEntry | Digest): void {
  if (isDigest(entry)) Object.assign(state, chosenIn(entry));
  if (entry.type === 'model_change') state.model = { provider: entry.provider, modelId: entry.modelId };
  if (entry.type === 'thinking_level_change' && is(thinkingLevel, entry.thinkingLevel)) {
    state.thinkingLevel = entry.thinkingLevel;
  }
  if (entry.type === 'message') {
    rememberModel(state, entry.message);
    if (entry.queueId !== undefined) drop(state, [entry.queueId]);
  }
  if (entry.type === 'custom') CUSTOM.get(entry.customType)?.(state, entry.data);
}

function rememberModel(state: Restored, message: AgentMessage): void {
  state.model = chosenBy(message) ?? state.model;
}

function chosenBy(message: AgentMessage): Restored['model'] {
  if (message.role !== 'assistant' || !message.provider || !message.model) return undefined;
  return { provider: message.provider, modelId: message.model };
}

const cleared = object({ op: picklist(['clear']), ids: array(string()) });

/** Only this program writes these entries; what does not look like them is passed over. */
const CUSTOM = new Map<string, (state: Restored, data: unknown) => void>([
  [
    QUEUE_ENTRY,
    (state, data) => {
      if (is(cleared, data)) drop(state, data.ids);
      else state.queued.push(...sound(queuedItem, [data]));
    },
  ],
  [SHELL_ENTRY, (state, data) => void state.held.push(...sound(heldItem, [data]))],
  [CHECKPOINT_ENTRY, (state, data) => Object.assign(state, checkpointIn(data))],
]);

/** Said in the same words by a checkpoint and by a digest. */
function chosenIn({ model, thinkingLevel: level }: { model?: unknown; thinkingLevel?: unknown }): Partial<Restored> {
  return {
    ...(is(chosenModel, model) ? { model } : {}),
    ...(is(thinkingLevel, level) ? { thinkingLevel: level } : {}),
  };
}

function checkpointIn(data: unknown): Partial<Restored> {
  const said = isRecord(data) ? data : {};
  return {
    ...chosenIn(said),
    queued: sound(queuedItem, said.queued),
    held: sound(heldItem, said.held),
  };
}

/** Those of a list that are what they should be. */
function sound<S extends typeof queuedItem | typeof heldItem>(schema: S, list: unknown): InferOutput<S>[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => {
    const result = safeParse(schema, item);
    return result.success ? [result.output as InferOutput<S>] : [];
  });
}

function drop(state: Restored, ids: readonly string[]): void {
  state.queued = state.queued.filter((item) => !ids.includes(item.id));
  state.held = state.held.filter((item) => !ids.includes(item.id));
}
