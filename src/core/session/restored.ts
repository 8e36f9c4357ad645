// First floor, core: what a conversation says about itself: the model, the level, what waits to be delivered. Pure.

import { safeParse } from 'valibot';
import {
  type AgentMessage,
  type BashExecutionMessage,
  type SessionEntry,
  type ThinkingLevel,
  thinkingLevel,
  type UserMessage,
} from '../../protocol/index.ts';

export const QUEUE_ENTRY = 'parley.queue';
export const SHELL_ENTRY = 'parley.shell';
/** Written with every compaction: what an earlier part of the log, which nobody reads again, said last. */
export const CHECKPOINT_ENTRY = 'parley.checkpoint';

export interface QueuedItem {
  id: string;
  kind: 'steer' | 'followUp';
  message: UserMessage;
}

export interface HeldItem {
  id: string;
  message: BashExecutionMessage;
}

export interface Checkpoint {
  name?: string | undefined;
  model?: Restored['model'];
  thinkingLevel: ThinkingLevel;
  queued: readonly QueuedItem[];
  held: readonly HeldItem[];
}

export interface Restored {
  model: { provider: string; modelId: string } | undefined;
  thinkingLevel: ThinkingLevel | undefined;
  queued: QueuedItem[];
  held: HeldItem[];
}

export function restored(path: readonly SessionEntry[]): Restored {
  const state: Restored = { model: undefined, thinkingLevel: undefined, queued: [], held: [] };
  for (const entry of path) apply(state, entry);
  return state;
}

function apply(state: Restored, entry: SessionEntry): void {
  if (entry.type === 'model_change') state.model = { provider: entry.provider, modelId: entry.modelId };
  if (entry.type === 'thinking_level_change') {
    const level = safeParse(thinkingLevel, entry.thinkingLevel);
    if (level.success) state.thinkingLevel = level.output;
  }
  if (entry.type === 'message') {
    rememberModel(state, entry.message);
    if (entry.queueId !== undefined) drop(state, [entry.queueId]);
  }
  if (entry.type === 'custom') applyCustom(state, entry.customType, entry.data);
}

function rememberModel(state: Restored, message: AgentMessage): void {
  if (message.role === 'assistant' && message.provider) {
    state.model = { provider: message.provider, modelId: message.model };
  }
}

/** Only this program writes these entries; what does not look like them is passed over. */
function applyCustom(state: Restored, customType: string, data: unknown): void {
  const said = (data ?? {}) as Partial<QueuedItem & HeldItem & Checkpoint> & { op?: string; ids?: string[] };
  if (customType === QUEUE_ENTRY && said.op === 'add' && said.id && said.message) {
    state.queued.push({
      id: said.id,
      kind: said.kind === 'steer' ? 'steer' : 'followUp',
      message: said.message as UserMessage,
    });
  }
  if (customType === QUEUE_ENTRY && said.op === 'clear') drop(state, said.ids ?? []);
  if (customType === SHELL_ENTRY && said.id && said.message) {
    state.held.push({ id: said.id, message: said.message as unknown as BashExecutionMessage });
  }
  if (customType === CHECKPOINT_ENTRY) {
    state.model = said.model ?? state.model;
    state.thinkingLevel = said.thinkingLevel ?? state.thinkingLevel;
    state.queued = [...(said.queued ?? [])];
    state.held = [...(said.held ?? [])];
  }
}

function drop(state: Restored, ids: readonly string[]): void {
  state.queued = state.queued.filter((item) => !ids.includes(item.id));
  state.held = state.held.filter((item) => !ids.includes(item.id));
}
