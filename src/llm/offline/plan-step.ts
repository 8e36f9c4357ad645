// Plans the next step of the offline model: thinking, texts and tool calls.
import type { ModelRequest, ToolDefinition } from '../../contracts/index.ts';
import * as answers from './answer-texts.ts';
import { extractConversation, summariseConversation } from './conversation-digest.ts';
import { type ConversationState, getOutcomeStatus, readConversationState } from './conversation-state.ts';
import { type Intent, isToolIntent, type TextIntent, type ToolIntent } from './intent.ts';
import { findLastCommand } from './last-command.ts';
import { getToolName, isReadOnly, type PlannedCall, planToolCall } from './planned-call.ts';
import { reportOutcome } from './report-outcome.ts';

/** Counting is not a string, because it may be long and every number is a separate delta. */
export type TextOutput = string | { countTo: number };

export interface Step {
  thinking?: string;
  texts: readonly TextOutput[];
  calls: readonly PlannedCall[];
  /** Why the request cannot be carried out; the answer ends as an error. */
  failure?: string;
}

export type PlanRequest = Pick<ModelRequest, 'systemPrompt' | 'messages' | 'tools' | 'thinkingLevel'>;

export function planStep(request: PlanRequest): Step {
  const { thinking, ...step } = buildStep(request);
  return request.thinkingLevel === 'off' || thinking === undefined ? step : { thinking, ...step };
}

function buildStep(request: PlanRequest): Step {
  const conversation = extractConversation(request);
  if (conversation) {
    return {
      thinking: 'The request is to summarise the conversation. I extract a summary by rule.',
      texts: [summariseConversation(conversation)],
      calls: [],
    };
  }
  const state = readConversationState(request.messages);
  const batch = selectNextIntents(state, request.tools);
  return batch.length > 0 ? buildToolStep(state, batch, request) : buildFinalStep(state, request);
}

const MAX_CALLS = 8;

/** The intents of the next turn: one that makes changes, or several read-only ones. */
function selectNextIntents(state: ConversationState, tools: readonly ToolDefinition[]): ToolIntent[] {
  const batch: ToolIntent[] = [];
  for (const toolIntent of state.pending.filter(isToolIntent)) {
    if (!planToolCall(toolIntent, tools) || isBlockedByFailure(state, toolIntent)) continue;
    if (batch.length > 0 && !isReadOnly(toolIntent)) break;
    batch.push(toolIntent);
    if (!isReadOnly(toolIntent) || batch.length === MAX_CALLS) break;
  }
  return batch;
}

/** After a failure no more changes are made, because later steps may depend on the failed one. */
function isBlockedByFailure(state: ConversationState, toolIntent: ToolIntent): boolean {
  return (
    !isReadOnly(toolIntent) &&
    state.outcomes.slice(state.seenOutcomes).some((outcome) => getOutcomeStatus(outcome) !== 'done')
  );
}

function buildToolStep(state: ConversationState, batch: readonly ToolIntent[], request: PlanRequest): Step {
  const lastIndex = state.pending.indexOf(batch.at(-1) as ToolIntent);
  const remarks = state.pending.slice(0, lastIndex).filter((intent): intent is TextIntent => !isToolIntent(intent));
  const tasks = answers.formatList(batch.map(answers.describeIntent));
  const remaining = state.pending.filter(isToolIntent).length - batch.length;
  return {
    thinking: `${buildThinking(remarks)}Next: ${tasks}.${remaining > 0 ? ` ${remaining} more to do after that.` : ''}`,
    texts: [...remarks.flatMap((remark) => buildTexts(remark, state, request)), `I will ${tasks}.`],
    calls: batch.flatMap((toolIntent) => planToolCall(toolIntent, request.tools) ?? []),
  };
}

function buildFinalStep(state: ConversationState, request: PlanRequest): Step {
  const texts: TextOutput[] = [
    ...state.outcomes.map(reportOutcome),
    ...state.pending.flatMap((intent) =>
      isToolIntent(intent) ? explainNotDone(state, intent) : buildTexts(intent, state, request),
    ),
    ...explainWithheld(state),
    ...explainDropped(state),
    ...(state.unanswered === undefined ? [] : [answers.formatUnanswered(state.unanswered)]),
    ...(state.imageCount > 0 ? [answers.formatImagesUnsupported(state.imageCount)] : []),
  ];
  const remarks = state.pending.filter((intent): intent is TextIntent => !isToolIntent(intent));
  const failure = describeFailure(state);
  const summary = state.outcomes.length > 0 ? 'The tools have returned; I report their results.' : 'No tool is needed.';
  return {
    thinking: `${buildThinking(remarks)}${summary}`,
    texts: texts.length > 0 ? texts : [answers.EMPTY_REQUEST],
    calls: [],
    ...(failure === undefined ? {} : { failure }),
  };
}

/** A failed tool call is reported but is not a failure of the request. */
function describeFailure(state: ConversationState): string | undefined {
  const unclear = state.pending.find((intent) => intent.kind === 'unclear');
  if (unclear?.kind === 'unclear')
    return answers.formatFailure(answers.formatNotUnderstood(unclear.request, undefined));
  const toolIntent = state.pending.filter(isToolIntent).find((intent) => !isBlockedByFailure(state, intent));
  if (toolIntent) return answers.formatFailure(explainNotDone(state, toolIntent));
  const onlyImages = state.imageCount > 0 && state.pending.length + state.outcomes.length === 0;
  return onlyImages ? answers.formatFailure(answers.formatImagesUnsupported(state.imageCount)) : undefined;
}

function buildThinking(remarks: readonly TextIntent[]): string {
  return remarks
    .map((remark) =>
      remark.kind === 'think' ? `The request is to think about ${remark.topic}. I can only follow rules. ` : '',
    )
    .join('');
}

function explainNotDone(state: ConversationState, toolIntent: ToolIntent): string {
  if (isBlockedByFailure(state, toolIntent))
    return `Because a step before it failed, I did not ${answers.describeIntent(toolIntent)}.`;
  return `I cannot ${answers.describeIntent(toolIntent)}: that needs the tool ${answers.formatCode(getToolName(toolIntent))}, which is not available.`;
}

function explainWithheld({ withheldIntents: intents }: ConversationState): string[] {
  if (intents.length === 0) return [];
  const descriptions = answers.formatList(intents.map(answers.describeIntent));
  return [
    `Because I did not understand all of your message, I did not ${descriptions}. Ask for that alone if you want it.`,
  ];
}

function explainDropped({ droppedIntents: intents }: ConversationState): string[] {
  return intents.length > 0
    ? [`Not done from an earlier request: ${answers.formatList(intents.map(answers.describeIntent))}.`]
    : [];
}

function buildTexts(textIntent: TextIntent, state: ConversationState, request: PlanRequest): TextOutput[] {
  switch (textIntent.kind) {
    case 'greet':
      return [
        isOnlyIntent(textIntent, state)
          ? `${answers.GREETING} ${answers.INTRODUCTION}\n\n${answers.ABILITIES}`
          : answers.GREETING,
      ];
    case 'thanks':
      return [answers.THANKS_ANSWER];
    case 'help':
    case 'about':
      return [`${answers.INTRODUCTION}\n\n${answers.ABILITIES}`];
    case 'say':
      return [textIntent.text];
    case 'think':
      return [answers.formatThinkingAnswer(textIntent.topic)];
    case 'count':
      return [{ countTo: textIntent.to }];
    case 'output':
      return [answers.formatCommandOutput(findLastCommand(request.messages))];
    case 'stop':
      return [answers.STOPPED_ANSWER];
    case 'continue':
      return state.outcomes.length > 0 || state.pending.some(isToolIntent) ? [] : [answers.NOTHING_TO_CONTINUE];
    case 'unclear': {
      const text = answers.formatNotUnderstood(textIntent.request, textIntent.hint);
      const withIntroduction = isOnlyIntent(textIntent, state) && !textIntent.hint;
      return [withIntroduction ? `${text} ${answers.INTRODUCTION}\n\n${answers.ABILITIES}` : text];
    }
  }
}

function isOnlyIntent(intent: Intent, state: ConversationState): boolean {
  return (
    state.outcomes.length === 0 &&
    state.withheldIntents.length === 0 &&
    state.pending.every((other) => other === intent)
  );
}
