// Encodes the events of subagents for Opal: each is wrapped with the id of the tool call that started the subagent.
import {
  type AgentEvent,
  type AgentEventOf,
  addUsage,
  createEmptyUsage,
  sumTokens,
  type Usage,
} from '../../protocol/index.ts';
import { keysToSnakeCase } from './casing.ts';
import type { OpalEvent } from './event-frames.ts';
import { buildTokenUsage, type TokenUsage } from './token-usage.ts';

/** Encodes the events of one session. */
export type EventEncoder = (event: AgentEvent) => readonly OpalEvent[];
export type TokenCounter = (partialUsage?: Usage) => TokenUsage;

interface TrackedSubagent {
  /** The tool call that started the subagent. */
  readonly parentCallId: string;
  readonly usageCounter: UsageCounter;
  readonly encode: EventEncoder;
  hasStarted: boolean;
}

const MAX_LABEL_LENGTH = 80;
/** These events are dropped: encodeEnd sends one agent_end, and the tool result has the reason of a failure. */
const RUN_END_TYPES: ReadonlySet<string> = new Set(['agent_end', 'agent_abort', 'error']);

export class SubagentEventEncoder {
  readonly #subagents = new Map<string, TrackedSubagent>();
  readonly #createEncoder: (count: TokenCounter) => EventEncoder;

  /** `createEncoder` creates the encoder of one subagent session. `count` returns the token usage of that session. */
  constructor(createEncoder: (count: TokenCounter) => EventEncoder) {
    this.#createEncoder = createEncoder;
  }

  /** `parentCallId` is the last tool call when the real parent call is not known. */
  track(id: string, parentCallId: string): void {
    const usageCounter = new UsageCounter();
    this.#subagents.set(id, {
      parentCallId,
      usageCounter,
      encode: this.#createEncoder((partialUsage) => usageCounter.count(partialUsage)),
      hasStarted: false,
    });
  }

  encodeSessionStart({
    id,
    model,
    tools,
    prompt,
    contextWindow,
  }: AgentEventOf<'subagent_session'>): readonly OpalEvent[] {
    const subagent = this.#subagents.get(id);
    // A repair run is a second session of the same subagent. Only one sub_agent_start is sent.
    if (!subagent || subagent.hasStarted) return [];
    subagent.hasStarted = true;
    subagent.usageCounter.contextWindow = contextWindow;
    const label = prompt.slice(0, MAX_LABEL_LENGTH);
    return [wrapEvent(id, subagent, { type: 'sub_agent_start', model, label, tools })];
  }

  encodeEvent(id: string, event: AgentEvent): readonly OpalEvent[] {
    const subagent = this.#subagents.get(id);
    if (!subagent) return [];
    if (event.type === 'message_end' && event.message.role === 'assistant')
      subagent.usageCounter.add(event.message.usage);
    const opalEvents = subagent.encode(event);
    return opalEvents.filter(({ type }) => !RUN_END_TYPES.has(type)).map((inner) => wrapEvent(id, subagent, inner));
  }

  /** Verification runs outside of the subagent's session. */
  encodeVerification({ id, ...inner }: { readonly id: string; readonly type: string }): readonly OpalEvent[] {
    const subagent = this.#subagents.get(id);
    return subagent ? [wrapEvent(id, subagent, toSnakeCaseRecord(inner))] : [];
  }

  encodeEnd({ type: _, id, agent, ...outcome }: AgentEventOf<'subagent_end'>): readonly OpalEvent[] {
    const subagent = this.#subagents.get(id);
    if (!subagent) return [];
    this.#subagents.delete(id);
    const start = { type: 'sub_agent_start', model: '', label: agent, tools: [] };
    const end = { type: 'agent_end', usage: subagent.usageCounter.count(), ...outcome };
    return [...(subagent.hasStarted ? [] : [start]), end].map((inner) =>
      wrapEvent(id, subagent, toSnakeCaseRecord(inner)),
    );
  }
}

function wrapEvent(id: string, { parentCallId }: TrackedSubagent, inner: Readonly<Record<string, unknown>>): OpalEvent {
  return { type: 'sub_agent_event', parent_call_id: parentCallId, sub_session_id: id, inner };
}

function toSnakeCaseRecord(inner: unknown): Readonly<Record<string, unknown>> {
  return keysToSnakeCase(inner) as Readonly<Record<string, unknown>>;
}

/** Token usage of one subagent session. */
class UsageCounter {
  contextWindow = 0;
  readonly #total = createEmptyUsage();
  #last: Usage | undefined;

  add(usage: Usage): void {
    addUsage(this.#total, usage);
    this.#last = usage;
  }

  count(partialUsage?: Usage): TokenUsage {
    const { output } = this.#total;
    const latest = partialUsage ?? this.#last;
    return buildTokenUsage({ output, total: sumTokens(this.#total) }, partialUsage, {
      contextWindow: this.contextWindow,
      tokens: latest ? sumTokens(latest) : 0,
    });
  }
}
