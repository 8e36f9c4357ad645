// Determines from the message history what was requested, what is done and what is pending.
import {
  type AssistantMessage,
  extractText,
  type ModelMessage,
  type ToolCall,
  type ToolResultMessage,
  type UserMessage,
} from '../../protocol/index.ts';
import { parseHostMessage } from './host-message.ts';
import { type Intent, isToolIntent, type ToolIntent } from './intent.ts';
import { OFFLINE_API } from './offline-model.ts';
import { parseIntents } from './parse-intents.ts';
import { isAdditionalRequest } from './phrases.ts';
import { getToolName, isReadOnly } from './planned-call.ts';

/** A tool call and its result. The intent is unknown when another model made the call. */
export interface ToolOutcome {
  call: ToolCall;
  toolIntent?: ToolIntent;
  result?: ToolResultMessage;
}

export interface ConversationState {
  /** Requested and not done yet, in order. */
  pending: Intent[];
  outcomes: ToolOutcome[];
  /** Not done because the user asked for something else. */
  droppedIntents: ToolIntent[];
  /** Not started, because another part of the same message was not understood. */
  withheldIntents: ToolIntent[];
  imageCount: number;
  /** Text of an earlier message that no rule matched. Its answer ended as an error, which is not part of the history. */
  unanswered?: string;
  /** Number of outcomes that were reported before the user's last message. */
  seenOutcomes: number;
}

/** The state since the last answer without tool calls. That answer completed everything before it. */
export function readConversationState(messages: readonly ModelMessage[]): ConversationState {
  const start = messages.findLastIndex((message) => message.role === 'assistant' && isFinalAnswer(message)) + 1;
  const state: ConversationState = {
    pending: [],
    outcomes: [],
    droppedIntents: [],
    withheldIntents: [],
    imageCount: 0,
    seenOutcomes: 0,
  };
  let hasCalls = false;
  for (const message of messages.slice(start)) {
    if (message.role === 'user') {
      if (applyUserMessage(state, message, hasCalls)) hasCalls = false;
    } else if (message.role === 'assistant') {
      applyAssistantMessage(state, message);
      hasCalls = true;
    } else {
      const outcome = state.outcomes.findLast(({ call }) => call.id === message.toolCallId);
      if (outcome) outcome.result = message;
    }
  }
  return state;
}

function isFinalAnswer(message: AssistantMessage): boolean {
  return message.stopReason !== 'toolUse' || !message.content.some((block) => block.type === 'toolCall');
}

/**
 * `interrupts`: tool calls were made since the user's previous message, so this message interrupts them.
 * Returns `false` when the message contains no text of the user.
 */
function applyUserMessage(state: ConversationState, message: UserMessage, interrupts: boolean): boolean {
  const texts = typeof message.content === 'string' ? [message.content] : message.content.flatMap(getTexts);
  if (typeof message.content !== 'string')
    state.imageCount += message.content.filter(({ type }) => type === 'image').length;
  const userTexts = texts.map((text) => parseHostMessage(text).userText).filter((text) => text !== '');
  const intents = userTexts.flatMap(parseIntents);
  if (intents.length === 0) return false;
  if (interrupts) {
    const resumes = userTexts.some(isAdditionalRequest) || intents.some(({ kind }) => kind === 'continue');
    if (resumes) retryInterrupted(state);
    else dropPending(state);
    state.seenOutcomes = state.outcomes.length;
  }
  clearUnclear(state);
  addIntents(state, intents);
  return true;
}

/** An earlier message that was not understood does not make the answer to the next message an error. */
function clearUnclear(state: ConversationState): void {
  const unclear = state.pending.findLast((intent) => intent.kind === 'unclear');
  if (unclear?.kind !== 'unclear') return;
  state.unanswered = unclear.request;
  state.pending = state.pending.filter((intent) => intent.kind !== 'unclear');
  state.withheldIntents = [];
}

function getTexts(block: { type: string }): string[] {
  const text = extractText([block]);
  return text === '' ? [] : [text];
}

/** The user continues the request: calls that were skipped or aborted are made again. */
function retryInterrupted(state: ConversationState): void {
  const interrupted = state.outcomes.filter(
    (outcome) => outcome.toolIntent && ['skipped', 'aborted'].includes(getOutcomeStatus(outcome)),
  );
  state.outcomes = state.outcomes.filter((outcome) => !interrupted.includes(outcome));
  state.pending.unshift(...interrupted.map((outcome) => outcome.toolIntent as ToolIntent));
}

/** The user asks for something else. After an abort the old request is dropped; otherwise its rest is reported as not done. */
function dropPending(state: ConversationState): void {
  const aborted = state.outcomes.some((outcome) => getOutcomeStatus(outcome) === 'aborted');
  const notDone = aborted ? [] : state.pending.filter(isToolIntent);
  if (aborted) state.outcomes = [];
  state.droppedIntents = aborted ? [] : [...state.droppedIntents, ...notDone];
  state.withheldIntents = [];
  state.pending = [];
}

function addIntents(state: ConversationState, intents: readonly Intent[]): void {
  // Acting on a partly understood request ("if that fails, run …") is worse than asking again.
  const isUnclear = intents.some(({ kind }) => kind === 'unclear');
  for (const intent of intents) {
    if (intent.kind === 'stop') {
      state.droppedIntents.push(...state.pending.filter(isToolIntent));
      state.pending = [];
    }
    if (isUnclear && isToolIntent(intent) && !isReadOnly(intent)) state.withheldIntents.push(intent);
    else state.pending.push(intent);
  }
}

/** An answer of this model shows which intents were started: each call belongs to the first pending intent of its tool. */
function applyAssistantMessage(state: ConversationState, message: AssistantMessage): void {
  for (const block of message.content) {
    if (block.type !== 'toolCall') continue;
    const index =
      message.api === OFFLINE_API
        ? state.pending.findIndex((i) => isToolIntent(i) && getToolName(i) === block.name)
        : -1;
    const toolIntent = state.pending[index] as ToolIntent | undefined;
    state.outcomes.push(toolIntent ? { call: block, toolIntent } : { call: block });
    // The answer that made the call also covered the text intents before it.
    if (toolIntent)
      state.pending = state.pending.filter(
        (intent, otherIndex) => otherIndex > index || (otherIndex < index && isToolIntent(intent)),
      );
  }
}

export type OutcomeStatus = 'done' | 'failed' | 'skipped' | 'aborted' | 'unfinished';

export function getOutcomeStatus({ result }: ToolOutcome): OutcomeStatus {
  if (!result) return 'unfinished';
  if (!result.isError) return 'done';
  const text = extractText(result.content).trimEnd();
  if (/^Skipped\b/.test(text)) return 'skipped';
  return /\baborted\.?$/i.test(text.slice(-80)) ? 'aborted' : 'failed';
}
