// First floor, llm: what was asked, what is done and what is left, read from the history alone. Pure; plans nothing.
import {
  type AssistantMessage,
  type ModelMessage,
  type ToolCall,
  type ToolResultMessage,
  textOf,
  type UserMessage,
} from '../../protocol/index.ts';
import { onlyLooks, toolOf } from './calls.ts';
import { type Errand, type Intent, isErrand } from './intent.ts';
import { OFFLINE_API } from './model.ts';
import { readNote } from './notes.ts';
import { isAddition } from './phrases.ts';
import { understand } from './understand.ts';

/** One call and what became of it. The errand is unknown when another model made the call. */
export interface Outcome {
  call: ToolCall;
  errand?: Errand;
  result?: ToolResultMessage;
}

export interface Situation {
  /** Asked for and not yet done, in order. */
  pending: Intent[];
  outcomes: Outcome[];
  /** Left undone because the user turned to something else. */
  dropped: Errand[];
  /** Not begun, because another part of the same message was not understood. */
  withheld: Errand[];
  images: number;
  /** Words of an earlier message that no rule knew. The answer to it ended as an error, which is not part of the history. */
  unanswered?: string;
  /** How many of the outcomes the user had before speaking last. */
  seen: number;
}

/** How things stand since the last answer that called no tool: that answer settled everything before it. */
export function readSituation(messages: readonly ModelMessage[]): Situation {
  const start = messages.findLastIndex((message) => message.role === 'assistant' && settles(message)) + 1;
  const now: Situation = { pending: [], outcomes: [], dropped: [], withheld: [], images: 0, seen: 0 };
  let answered = false;
  for (const message of messages.slice(start)) {
    if (message.role === 'user') {
      if (hear(now, message, answered)) answered = false;
    } else if (message.role === 'assistant') {
      note(now, message);
      answered = true;
    } else {
      const outcome = now.outcomes.findLast(({ call }) => call.id === message.toolCallId);
      if (outcome) outcome.result = message;
    }
  }
  return now;
}

function settles(message: AssistantMessage): boolean {
  return message.stopReason !== 'toolUse' || !message.content.some((block) => block.type === 'toolCall');
}

/**
 * `interrupts`: calls were made since the user last spoke, so that this message comes in between.
 * `false` when the message holds no words of the user.
 */
function hear(now: Situation, message: UserMessage, interrupts: boolean): boolean {
  const texts = typeof message.content === 'string' ? [message.content] : message.content.flatMap(textBlock);
  if (typeof message.content !== 'string') now.images += message.content.filter(({ type }) => type === 'image').length;
  const words = texts.map((text) => readNote(text).rest).filter((rest) => rest !== '');
  const intents = words.flatMap(understand);
  if (intents.length === 0) return false;
  if (interrupts) {
    const resumes = words.some(isAddition) || intents.some(({ kind }) => kind === 'continue');
    if (resumes) takeUpAgain(now);
    else turnAway(now);
    now.seen = now.outcomes.length;
  }
  forgetUnclear(now);
  add(now, intents);
  return true;
}

/** What an earlier message asked for and nobody understood does not make the answer to the next one an error. */
function forgetUnclear(now: Situation): void {
  const unclear = now.pending.findLast((intent) => intent.kind === 'unclear');
  if (unclear?.kind !== 'unclear') return;
  now.unanswered = unclear.words;
  now.pending = now.pending.filter((intent) => intent.kind !== 'unclear');
  now.withheld = [];
}

function textBlock(block: { type: string }): string[] {
  const text = textOf([block]);
  return text === '' ? [] : [text];
}

/** The user goes on with what was asked: calls that were skipped or broken off are to be made again. */
function takeUpAgain(now: Situation): void {
  const again = now.outcomes.filter((outcome) => outcome.errand && ['skipped', 'aborted'].includes(fateOf(outcome)));
  now.outcomes = now.outcomes.filter((outcome) => !again.includes(outcome));
  now.pending.unshift(...again.map((outcome) => outcome.errand as Errand));
}

/** The user wants something else. After an abort the old request is over; otherwise what is left of it is owned up to. */
function turnAway(now: Situation): void {
  const aborted = now.outcomes.some((outcome) => fateOf(outcome) === 'aborted');
  const left = aborted ? [] : now.pending.filter(isErrand);
  if (aborted) now.outcomes = [];
  now.dropped = aborted ? [] : [...now.dropped, ...left];
  now.withheld = [];
  now.pending = [];
}

function add(now: Situation, intents: readonly Intent[]): void {
  // To act on half an understanding ("if that fails, run …") is worse than to ask again.
  const doubtful = intents.some(({ kind }) => kind === 'unclear');
  for (const intent of intents) {
    if (intent.kind === 'stop') {
      now.dropped.push(...now.pending.filter(isErrand));
      now.pending = [];
    }
    if (doubtful && isErrand(intent) && !onlyLooks(intent)) now.withheld.push(intent);
    else now.pending.push(intent);
  }
}

/** An answer of our own says which errands are under way: each call is the first pending errand that needs its tool. */
function note(now: Situation, message: AssistantMessage): void {
  for (const block of message.content) {
    if (block.type !== 'toolCall') continue;
    const index =
      message.api === OFFLINE_API ? now.pending.findIndex((i) => isErrand(i) && toolOf(i) === block.name) : -1;
    const errand = now.pending[index] as Errand | undefined;
    now.outcomes.push(errand ? { call: block, errand } : { call: block });
    // Words before an errand were said in the answer that began it.
    if (errand) now.pending = now.pending.filter((intent, at) => at > index || (at < index && isErrand(intent)));
  }
}

export type Fate = 'done' | 'failed' | 'skipped' | 'aborted' | 'unfinished';

export function fateOf({ result }: Outcome): Fate {
  if (!result) return 'unfinished';
  if (!result.isError) return 'done';
  const text = textOf(result.content).trimEnd();
  if (/^Skipped\b/.test(text)) return 'skipped';
  return /\baborted\.?$/i.test(text.slice(-80)) ? 'aborted' : 'failed';
}
