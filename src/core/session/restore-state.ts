// Restores session state from log entries: model, thinking level, queued messages, held shell output. Pure.
import { array, type InferOutput, is, literal, nullable, object, picklist, safeParse, string, union } from 'valibot';
import { isRecord } from '../../base/index.ts';
import type { Digest, LazyPathEntry } from '../../contracts/index.ts';
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
/** Written with every compaction. It holds the state from the earlier part of the log, which is not read again. */
export const CHECKPOINT_ENTRY = 'parley.checkpoint';

const queueKind = picklist(['steer', 'followUp']);
const queuedMessage = union([userMessage, customMessage]);
const queuedItem = object({ id: string(), kind: queueKind, message: queuedMessage });
const heldItem = object({ id: string(), message: bashExecutionMessage });
const modelReference = object({ provider: string(), modelId: string() });

export type QueuedItem = InferOutput<typeof queuedItem>;
export type HeldItem = InferOutput<typeof heldItem>;

export interface Checkpoint {
  name?: string | undefined;
  model?: InferOutput<typeof modelReference> | undefined;
  thinkingLevel?: ThinkingLevel | undefined;
  queued: readonly QueuedItem[];
  held: readonly HeldItem[];
  /** Names of rules that were triggered. */
  injectedRules?: readonly string[] | undefined;
  /** Budget spending, in the format of `parley.budget`. */
  spent?: object | undefined;
}

export interface RestoredState {
  model: InferOutput<typeof modelReference> | undefined;
  thinkingLevel: ThinkingLevel | undefined;
  queued: QueuedItem[];
  held: HeldItem[];
}

export function restoreState(path: readonly LazyPathEntry[]): RestoredState {
  const state: RestoredState = { model: undefined, thinkingLevel: undefined, queued: [], held: [] };
  for (const entry of selectRelevantEntries(path)) applyEntry(state, entry);
  return state;
}

/** Reads only the unread messages that matter: the newest answer, for its model, and messages that left a queue. */
function selectRelevantEntries(path: readonly LazyPathEntry[]): (SessionEntry | Digest)[] {
  const hasQueueEntries = path.some((entry) => entry.type === 'custom' && CUSTOM_ENTRY_READERS.has(entry.customType));
  let isModelFound = false;
  const entries = path.toReversed().flatMap((entry) => {
    if (!isUnread(entry)) return entry;
    const isRelevant =
      (!isModelFound && entry.role === 'assistant') || (hasQueueEntries && entry.containsText('"queueId"'));
    const loaded = isRelevant ? entry.read() : undefined;
    if (loaded?.type === 'message' && readAnswerModel(loaded.message)) isModelFound = true;
    return loaded ?? [];
  });
  return entries.reverse();
}

function applyEntry(state: RestoredState, entry: SessionEntry | Digest): void {
  if (isDigest(entry)) Object.assign(state, readModelChoice(entry));
  if (entry.type === 'model_change') state.model = { provider: entry.provider, modelId: entry.modelId };
  if (entry.type === 'thinking_level_change' && is(thinkingLevel, entry.thinkingLevel)) {
    state.thinkingLevel = entry.thinkingLevel;
  }
  if (entry.type === 'message') {
    updateModel(state, entry.message);
    if (entry.queueId !== undefined) removeItems(state, [entry.queueId]);
  }
  if (entry.type === 'custom') CUSTOM_ENTRY_READERS.get(entry.customType)?.(state, entry.data);
}

function updateModel(state: RestoredState, message: AgentMessage): void {
  state.model = readAnswerModel(message) ?? state.model;
}

function readAnswerModel(message: AgentMessage): RestoredState['model'] {
  if (message.role !== 'assistant' || !message.provider || !message.model) return undefined;
  return { provider: message.provider, modelId: message.model };
}

const queueClearRecord = object({ op: literal('clear'), ids: array(string()) });
// Versions that do not know these records read every other record as an added message. It would have all of its fields.
const queueEditRecord = object({ op: literal('edit'), id: string(), message: queuedMessage });
const queueMoveRecord = object({ op: literal('move'), id: string(), kind: queueKind, before: nullable(string()) });

/** Only this program writes these entries. Invalid data is ignored. */
const CUSTOM_ENTRY_READERS = new Map<string, (state: RestoredState, data: unknown) => void>([
  [
    QUEUE_ENTRY,
    (state, data) => {
      if (is(queueClearRecord, data)) removeItems(state, data.ids);
      else if (is(queueEditRecord, data)) replaceMessage(state, data);
      else if (is(queueMoveRecord, data)) moveItem(state, data);
      else state.queued.push(...parseValidItems(queuedItem, [data]));
    },
  ],
  [SHELL_ENTRY, (state, data) => void state.held.push(...parseValidItems(heldItem, [data]))],
  [CHECKPOINT_ENTRY, (state, data) => Object.assign(state, readCheckpoint(data))],
]);

/** Checkpoints and digests use the same fields. */
function readModelChoice({
  model,
  thinkingLevel: level,
}: {
  model?: unknown;
  thinkingLevel?: unknown;
}): Partial<RestoredState> {
  return {
    ...(is(modelReference, model) ? { model } : {}),
    ...(is(thinkingLevel, level) ? { thinkingLevel: level } : {}),
  };
}

function readCheckpoint(data: unknown): Partial<RestoredState> {
  const record = isRecord(data) ? data : {};
  return {
    ...readModelChoice(record),
    queued: parseValidItems(queuedItem, record.queued),
    held: parseValidItems(heldItem, record.held),
  };
}

/** Returns the valid items of a list. */
function parseValidItems<S extends typeof queuedItem | typeof heldItem>(schema: S, list: unknown): InferOutput<S>[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => {
    const result = safeParse(schema, item);
    return result.success ? [result.output as InferOutput<S>] : [];
  });
}

function removeItems(state: RestoredState, ids: readonly string[]): void {
  state.queued = state.queued.filter((item) => !ids.includes(item.id));
  state.held = state.held.filter((item) => !ids.includes(item.id));
}

function replaceMessage(state: RestoredState, { id, message }: InferOutput<typeof queueEditRecord>): void {
  state.queued = state.queued.map((item) => (item.id === id ? { ...item, message } : item));
}

/** Moves the item before another one, or to the end. */
function moveItem(state: RestoredState, { id, kind, before }: InferOutput<typeof queueMoveRecord>): void {
  const item = state.queued.find((other) => other.id === id);
  if (!item) return;
  const others = state.queued.filter((other) => other !== item);
  const found = others.findIndex((other) => other.id === before);
  state.queued = others.toSpliced(found < 0 ? others.length : found, 0, { ...item, kind });
}
