// Test helpers: creates messages, entries and paths of entries, and arbitrary conversations for property tests.
import * as fc from 'fast-check';
import {
  type AgentMessage,
  type AssistantMessage,
  createEmptyUsage,
  type SessionEntry,
  type StopReason,
  type ToolResultMessage,
  type Usage,
  type UserMessage,
} from '../../src/protocol/index.ts';

export type Block = AssistantMessage['content'][number];

export const TIMESTAMP = '2026-01-02T03:04:05.000Z';

export const text = (value: string) => ({ type: 'text' as const, text: value });
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
  fields: { stopReason?: StopReason; errorMessage?: string; usage?: Partial<Usage> } = {},
): AssistantMessage {
  return {
    role: 'assistant',
    content: typeof content === 'string' ? [text(content)] : content,
    api: 'test-api',
    provider: 'test-provider',
    model: 'one',
    stopReason: 'stop',
    timestamp: 2,
    ...fields,
    usage: { ...createEmptyUsage(), ...fields.usage },
  };
}

export function result(toolCallId: string, output = 'done', toolName = 'read'): ToolResultMessage {
  return { role: 'toolResult', toolCallId, toolName, content: [text(output)], isError: false, timestamp: 3 };
}

export function bash(command: string, output: string, fields: object = {}): AgentMessage {
  return { role: 'bashExecution', command, output, cancelled: false, truncated: false, timestamp: 4, ...fields };
}

type Body = { type: SessionEntry['type'] } & Record<string, unknown>;

export const messageBody = (message: AgentMessage): Body => ({ type: 'message', message });
export const compactionBody = (firstKeptEntryId: string, summary = 'summary', details?: unknown): Body => ({
  type: 'compaction',
  summary,
  firstKeptEntryId,
  tokensBefore: 1000,
  details,
});

/** Creates a path of entries with the ids `e0`, `e1`, … A message becomes a message entry. */
export function createPath(...bodies: readonly (AgentMessage | Body)[]): SessionEntry[] {
  return bodies.map((body, at) => createEntry(body, `e${at}`, at === 0 ? null : `e${at - 1}`));
}

export function createEntry(body: AgentMessage | Body, id: string, parentId: string | null): SessionEntry {
  const { type, ...rest } = 'role' in body ? messageBody(body as AgentMessage) : (body as Body);
  return { type, id, parentId, timestamp: TIMESTAMP, ...rest } as SessionEntry;
}

const shortText = fc.string({ minLength: 1, maxLength: 60 }).map((s) => `w${s}`);
const changeBodies = fc.constantFrom<Body>(
  { type: 'model_change', provider: 'test-provider', modelId: 'one' },
  { type: 'thinking_level_change', thinkingLevel: 'low' },
  { type: 'label', targetId: 'e0', label: 'here' },
  { type: 'session_info', name: 'a name' },
  { type: 'custom', customType: 'other' },
);

/** One turn: a prompt, answers with calls and their results, and a last answer that may have failed or been aborted. */
const turn = fc
  .record({
    prompt: fc.oneof(
      shortText.map((value) => user([text(value)])),
      shortText.map((value) => bash('ls', value)),
    ),
    steps: fc.array(
      fc.record({ answerText: shortText, callCount: fc.integer({ min: 1, max: 3 }), losesResult: fc.boolean() }),
      { maxLength: 3 },
    ),
    end: fc.record({
      answerText: shortText,
      stopReason: fc.constantFrom<StopReason>('stop', 'length', 'error', 'aborted'),
    }),
    change: fc.option(changeBodies, { nil: undefined }),
    steering: fc.option(shortText, { nil: undefined }),
  })
  .map(({ prompt, steps, end, change, steering }) => (turnIndex: number): (AgentMessage | Body)[] => [
    ...(change ? [change] : []),
    prompt,
    ...steps.flatMap((step, at) => {
      const ids = Array.from({ length: step.callCount }, (_, i) => `c${turnIndex}-${at}-${i}`);
      const answer = assistant([text(step.answerText), ...ids.map((id) => call(id))], { stopReason: 'toolUse' });
      // A crash may have left the last call without its result.
      const answeredIds = step.losesResult && at === steps.length - 1 ? ids.slice(0, -1) : ids;
      return [answer, ...answeredIds.map((id) => result(id, step.answerText))];
    }),
    ...(steering ? [user([text(steering)])] : []),
    assistant([text(end.answerText)], { stopReason: end.stopReason }),
  ]);

/** Arbitrary conversations without branches. */
export const conversations = fc
  .array(turn, { minLength: 1, maxLength: 8 })
  .map((turns) => createPath(...turns.flatMap((createTurn, turnIndex) => createTurn(turnIndex))));
