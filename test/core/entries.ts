// For tests of conversations: messages and entries made by hand, and lines of them.
import * as fc from 'fast-check';
import {
  type AgentMessage,
  type AssistantMessage,
  noUsage,
  type SessionEntry,
  type StopReason,
  type ToolResultMessage,
  type Usage,
  type UserMessage,
} from '../../src/protocol/index.ts';

export type Block = AssistantMessage['content'][number];

export const TIMESTAMP = '2026-01-02T03:04:05.000Z';

export const text = (words: string) => ({ type: 'text' as const, text: words });
export const call = (id: string, name = 'read', args: Record<string, unknown> = {}) => ({
  type: 'toolCall' as const,
  id,
  name,
  arguments: args,
});

export function user(content: UserMessage['content']): UserMessage {
  return { role: 'user', content, timestamp: 1 };
}

export function assistant(
  content: string | Block[],
  more: { stopReason?: StopReason; errorMessage?: string; usage?: Partial<Usage> } = {},
): AssistantMessage {
  return {
    role: 'assistant',
    content: typeof content === 'string' ? [text(content)] : content,
    api: 'wire',
    provider: 'house',
    model: 'one',
    stopReason: 'stop',
    timestamp: 2,
    ...more,
    usage: { ...noUsage(), ...more.usage },
  };
}

export function result(toolCallId: string, words = 'done', toolName = 'read'): ToolResultMessage {
  return { role: 'toolResult', toolCallId, toolName, content: [text(words)], isError: false, timestamp: 3 };
}

export function bash(command: string, output: string, more: object = {}): AgentMessage {
  return { role: 'bashExecution', command, output, cancelled: false, truncated: false, timestamp: 4, ...more };
}

type Body = { type: SessionEntry['type'] } & Record<string, unknown>;

export const said = (message: AgentMessage): Body => ({ type: 'message', message });
export const compacted = (firstKeptEntryId: string, summary = 'what was', details?: unknown): Body => ({
  type: 'compaction',
  summary,
  firstKeptEntryId,
  tokensBefore: 1000,
  details,
});

/** Entries one after another, with the ids `e0`, `e1`, … A message stands for its entry. */
export function line(...bodies: readonly (AgentMessage | Body)[]): SessionEntry[] {
  return bodies.map((body, at) => placed(body, `e${at}`, at === 0 ? null : `e${at - 1}`));
}

export function placed(body: AgentMessage | Body, id: string, parentId: string | null): SessionEntry {
  const { type, ...rest } = 'role' in body ? said(body as AgentMessage) : (body as Body);
  return { type, id, parentId, timestamp: TIMESTAMP, ...rest } as SessionEntry;
}

const words = fc.string({ minLength: 1, maxLength: 60 }).map((s) => `w${s}`);
const changes = fc.constantFrom<Body>(
  { type: 'model_change', provider: 'house', modelId: 'one' },
  { type: 'thinking_level_change', thinkingLevel: 'low' },
  { type: 'label', targetId: 'e0', label: 'here' },
  { type: 'session_info', name: 'a name' },
  { type: 'custom', customType: 'other' },
);

/** A turn as runs leave them: a prompt, answers with calls and their results, an end that may be an error or an abort. */
const turn = fc
  .record({
    prompt: fc.oneof(
      words.map((said) => user([text(said)])),
      words.map((said) => bash('ls', said)),
    ),
    steps: fc.array(fc.record({ words, calls: fc.integer({ min: 1, max: 3 }), lost: fc.boolean() }), { maxLength: 3 }),
    end: fc.record({ words, stopReason: fc.constantFrom<StopReason>('stop', 'length', 'error', 'aborted') }),
    change: fc.option(changes, { nil: undefined }),
    steered: fc.option(words, { nil: undefined }),
  })
  .map(({ prompt, steps, end, change, steered }) => (number: number): (AgentMessage | Body)[] => [
    ...(change ? [change] : []),
    prompt,
    ...steps.flatMap((step, at) => {
      const ids = Array.from({ length: step.calls }, (_, i) => `c${number}-${at}-${i}`);
      const answer = assistant([text(step.words), ...ids.map((id) => call(id))], { stopReason: 'toolUse' });
      // A crash may have left the last call without its result.
      const kept = step.lost && at === steps.length - 1 ? ids.slice(0, -1) : ids;
      return [answer, ...kept.map((id) => result(id, step.words))];
    }),
    ...(steered ? [user([text(steered)])] : []),
    assistant([text(end.words)], { stopReason: end.stopReason }),
  ]);

/** Conversations as they come about, in one line. */
export const conversations = fc
  .array(turn, { minLength: 1, maxLength: 8 })
  .map((turns) => line(...turns.flatMap((make, number) => make(number))));
