// First floor, dialects: what subagents do, as Opal tells it: inside the call that started them. Follows each of them by itself.
import { type TokenUsage, usageOf } from '../../contracts/index.ts';
import {
  type AgentEvent,
  type AgentEventOf,
  addUsage,
  noUsage,
  totalTokens,
  type Usage,
} from '../../protocol/index.ts';
import type { OpalEvent } from './envelope.ts';
import { snakeKeys } from './spelling.ts';

/** Tells the events of one session. */
export type Tell = (event: AgentEvent) => readonly OpalEvent[];
export type CountTokens = (growing?: Usage) => TokenUsage;

interface Child {
  /** The call that started it. */
  readonly call: string;
  readonly tally: Tally;
  readonly tell: Tell;
  hasBegun: boolean;
}

const LONGEST_LABEL = 80;
/** How it ended is told once, with its result; why it failed is what its tool says. */
const ENDINGS: ReadonlySet<string> = new Set(['agent_end', 'agent_abort', 'error']);

export class Children {
  readonly #children = new Map<string, Child>();
  readonly #follow: (count: CountTokens) => Tell;

  /** `follow` makes what tells of a session that has used so much. */
  constructor(follow: (count: CountTokens) => Tell) {
    this.#follow = follow;
  }

  /** `call` stands in where nobody knows who started it. */
  started(id: string, call: string): void {
    const tally = new Tally();
    this.#children.set(id, { call, tally, tell: this.#follow((growing) => tally.count(growing)), hasBegun: false });
  }

  opened({ id, model, tools, prompt, contextWindow }: AgentEventOf<'subagent_session'>): readonly OpalEvent[] {
    const child = this.#children.get(id);
    // A repair is a second session of the same subagent.
    if (!child || child.hasBegun) return [];
    child.hasBegun = true;
    child.tally.contextWindow = contextWindow;
    const label = prompt.slice(0, LONGEST_LABEL);
    return [wrapped(id, child, { type: 'sub_agent_start', model, label, tools })];
  }

  said(id: string, event: AgentEvent): readonly OpalEvent[] {
    const child = this.#children.get(id);
    if (!child) return [];
    if (event.type === 'message_end' && event.message.role === 'assistant') child.tally.add(event.message.usage);
    const told = child.tell(event);
    return told.filter(({ type }) => !ENDINGS.has(type)).map((inner) => wrapped(id, child, inner));
  }

  /** What happened to its work, outside its session. */
  checked({ id, ...inner }: { readonly id: string; readonly type: string }): readonly OpalEvent[] {
    const child = this.#children.get(id);
    return child ? [wrapped(id, child, spelled(inner))] : [];
  }

  ended({ type: _, id, agent, ...how }: AgentEventOf<'subagent_end'>): readonly OpalEvent[] {
    const child = this.#children.get(id);
    if (!child) return [];
    this.#children.delete(id);
    const start = { type: 'sub_agent_start', model: '', label: agent, tools: [] };
    const end = { type: 'agent_end', usage: child.tally.count(), ...how };
    return [...(child.hasBegun ? [] : [start]), end].map((inner) => wrapped(id, child, spelled(inner)));
  }
}

function wrapped(id: string, { call }: Child, inner: Readonly<Record<string, unknown>>): OpalEvent {
  return { type: 'sub_agent_event', parent_call_id: call, sub_session_id: id, inner };
}

function spelled(inner: unknown): Readonly<Record<string, unknown>> {
  return snakeKeys(inner) as Readonly<Record<string, unknown>>;
}

/** What one of them has used; its session is nobody else's. */
class Tally {
  contextWindow = 0;
  readonly #sum = noUsage();
  #last: Usage | undefined;

  add(usage: Usage): void {
    addUsage(this.#sum, usage);
    this.#last = usage;
  }

  count(growing?: Usage): TokenUsage {
    const { output } = this.#sum;
    const now = growing ?? this.#last;
    return usageOf({ output, total: totalTokens(this.#sum) }, growing, {
      contextWindow: this.contextWindow,
      tokens: now ? totalTokens(now) : 0,
    });
  }
}
