// First floor, llm: from a request to the next step: what to think, what to say, which tools to call. Pure.
import type { ModelRequest, ToolOffer } from '../../contracts/index.ts';
import { callFor, onlyLooks, type PlannedCall, toolOf } from './calls.ts';
import { conversationToSummarise, summariseConversation } from './conversation-digest.ts';
import { type Errand, type Intent, isErrand, type Remark } from './intent.ts';
import { lastCommand } from './last-command.ts';
import { report } from './reports.ts';
import { fateOf, readSituation, type Situation } from './situation.ts';
import * as words from './wording.ts';

/** Counting is not a text, because it may be long and every number is one delta. */
export type Speech = string | { countTo: number };

export interface Step {
  thinking?: string;
  speech: readonly Speech[];
  calls: readonly PlannedCall[];
  /** Why what was asked for cannot be carried out: the answer ends as an error. */
  failure?: string;
}

export type Question = Pick<ModelRequest, 'systemPrompt' | 'messages' | 'tools' | 'thinkingLevel'>;

export function planStep(question: Question): Step {
  const { thinking, ...step } = nextStep(question);
  return question.thinkingLevel === 'off' || thinking === undefined ? step : { thinking, ...step };
}

function nextStep(question: Question): Step {
  const conversation = conversationToSummarise(question);
  if (conversation) {
    return {
      thinking: 'A summary of the conversation is wanted. I extract it by rule.',
      speech: [summariseConversation(conversation)],
      calls: [],
    };
  }
  const now = readSituation(question.messages);
  const batch = nextErrands(now, question.tools);
  return batch.length > 0 ? callingStep(now, batch, question) : closingStep(now, question);
}

const MOST_CALLS = 8;

/** The errands of the next turn: one that changes something, or several that only look. */
function nextErrands(now: Situation, tools: readonly ToolOffer[]): Errand[] {
  const batch: Errand[] = [];
  for (const errand of now.pending.filter(isErrand)) {
    if (!callFor(errand, tools) || isHeldBack(now, errand)) continue;
    if (batch.length > 0 && !onlyLooks(errand)) break;
    batch.push(errand);
    if (!onlyLooks(errand) || batch.length === MOST_CALLS) break;
  }
  return batch;
}

/** After a failure nothing more is changed: later steps may build on the one that failed. */
function isHeldBack(now: Situation, errand: Errand): boolean {
  return !onlyLooks(errand) && now.outcomes.slice(now.seen).some((outcome) => fateOf(outcome) !== 'done');
}

function callingStep(now: Situation, batch: readonly Errand[], question: Question): Step {
  const last = now.pending.indexOf(batch.at(-1) as Errand);
  const remarks = now.pending.slice(0, last).filter((intent): intent is Remark => !isErrand(intent));
  const tasks = words.series(batch.map(words.describe));
  const left = now.pending.filter(isErrand).length - batch.length;
  return {
    thinking: `${thoughts(remarks)}Next: ${tasks}.${left > 0 ? ` ${left} more to do after that.` : ''}`,
    speech: [...remarks.flatMap((remark) => spoken(remark, now, question)), `I will ${tasks}.`],
    calls: batch.flatMap((errand) => callFor(errand, question.tools) ?? []),
  };
}

function closingStep(now: Situation, question: Question): Step {
  const speech: Speech[] = [
    ...now.outcomes.map(report),
    ...now.pending.flatMap((intent) => (isErrand(intent) ? notDone(now, intent) : spoken(intent, now, question))),
    ...withheld(now),
    ...dropped(now),
    ...(now.unanswered === undefined ? [] : [words.leftOver(now.unanswered)]),
    ...(now.images > 0 ? [words.cannotSee(now.images)] : []),
  ];
  const remarks = now.pending.filter((intent): intent is Remark => !isErrand(intent));
  const failure = failureOf(now);
  const state = now.outcomes.length > 0 ? 'The tools have answered; I report what they said.' : 'No tool is needed.';
  return {
    thinking: `${thoughts(remarks)}${state}`,
    speech: speech.length > 0 ? speech : [words.WITHOUT_REQUEST],
    calls: [],
    ...(failure === undefined ? {} : { failure }),
  };
}

/** A tool that failed is reported, not a failure: the request was carried out. */
function failureOf(now: Situation): string | undefined {
  const unclear = now.pending.find((intent) => intent.kind === 'unclear');
  if (unclear?.kind === 'unclear') return words.cannot(words.notUnderstood(unclear.words, undefined));
  const errand = now.pending.filter(isErrand).find((one) => !isHeldBack(now, one));
  if (errand) return words.cannot(notDone(now, errand));
  const onlyImages = now.images > 0 && now.pending.length + now.outcomes.length === 0;
  return onlyImages ? words.cannot(words.cannotSee(now.images)) : undefined;
}

function thoughts(remarks: readonly Remark[]): string {
  return remarks
    .map((remark) => (remark.kind === 'think' ? `I am to think about ${remark.topic}. I can only follow rules. ` : ''))
    .join('');
}

function notDone(now: Situation, errand: Errand): string {
  if (isHeldBack(now, errand)) return `Because a step before it failed, I did not ${words.describe(errand)}.`;
  return `I cannot ${words.describe(errand)}: that needs the tool ${words.code(toolOf(errand))}, which is not offered to me here.`;
}

function withheld({ withheld: errands }: Situation): string[] {
  if (errands.length === 0) return [];
  const what = words.series(errands.map(words.describe));
  return [`Because I did not understand all of your message, I did not ${what}. Ask for that alone if you want it.`];
}

function dropped({ dropped: errands }: Situation): string[] {
  return errands.length > 0 ? [`Left undone from before: ${words.series(errands.map(words.describe))}.`] : [];
}

function spoken(remark: Remark, now: Situation, question: Question): Speech[] {
  switch (remark.kind) {
    case 'greet':
      return [isAlone(remark, now) ? `${words.GREETING} ${words.INTRODUCTION}\n\n${words.ABILITIES}` : words.GREETING];
    case 'thanks':
      return [words.WELCOME];
    case 'help':
    case 'about':
      return [`${words.INTRODUCTION}\n\n${words.ABILITIES}`];
    case 'say':
      return [remark.text];
    case 'think':
      return [words.aboutThinking(remark.topic)];
    case 'count':
      return [{ countTo: remark.to }];
    case 'output':
      return [words.lastOutput(lastCommand(question.messages))];
    case 'stop':
      return [words.STOPPED];
    case 'continue':
      return now.outcomes.length > 0 || now.pending.some(isErrand) ? [] : [words.NOTHING_LEFT];
    case 'unclear': {
      const plain = words.notUnderstood(remark.words, remark.hint);
      const whole = isAlone(remark, now) && !remark.hint;
      return [whole ? `${plain} ${words.INTRODUCTION}\n\n${words.ABILITIES}` : plain];
    }
  }
}

function isAlone(intent: Intent, now: Situation): boolean {
  return now.outcomes.length === 0 && now.withheld.length === 0 && now.pending.every((other) => other === intent);
}
