// First floor, llm: a summary of a serialised conversation, extracted by rule into the sections that compaction keeps.
import type { ModelRequest } from '../../contracts/index.ts';
import { textOf } from '../../protocol/index.ts';
import { type Act, readTranscript, type Transcript } from './conversation-transcript.ts';
import { brief } from './cutting.ts';
import { code } from './wording.ts';

export interface ConversationText {
  conversation: string;
  previousSummary?: string;
}

/** The conversation to summarise, when that is what the request is about. */
export function conversationToSummarise(
  request: Pick<ModelRequest, 'systemPrompt' | 'messages'>,
): ConversationText | undefined {
  const last = request.messages.at(-1);
  if (last?.role !== 'user') return undefined;
  const text = textOf(last.content);
  const block = between(text, '<conversation>', '</conversation>', text.lastIndexOf('</conversation>'));
  if (block === undefined) return undefined;
  const around = text.slice(0, block.start) + text.slice(block.end);
  if (!/summar/i.test(request.systemPrompt) && !/summar/i.test(around)) return undefined;
  const previous = between(around, '<previous-summary>', '</previous-summary>');
  const previousSummary = previous?.inside.endsWith('\n') ? previous.inside.slice(0, -1) : previous?.inside;
  return { conversation: block.inside, ...(previousSummary !== undefined && { previousSummary }) };
}

/** From the first opening tag to `to`, by default the first closing tag behind it. A line break behind the opening tag is left out. */
function between(
  text: string,
  open: string,
  close: string,
  to = text.indexOf(close, text.indexOf(open) + 1),
): { start: number; end: number; inside: string } | undefined {
  const start = text.indexOf(open);
  const from = start + open.length;
  if (start < 0 || to < from) return undefined;
  const inside = text.slice(text[from] === '\n' && from < to ? from + 1 : from, to);
  return { start, end: to + close.length, inside };
}

export function summariseConversation({ conversation, previousSummary }: ConversationText): string {
  const now = readTranscript(conversation);
  const before = (section: string) => itemsOf(previousSummary ?? '', section);
  const sections: [string, readonly string[]][] = [
    ['## Goal', join(before('## Goal'), now.requests.slice(0, 1).map(line))],
    ['## Constraints & Preferences', join(before('## Constraints & Preferences'), sentences(now.requests, CONSTRAINT))],
    [
      '## Progress\n### Done',
      join(
        before('### Done'),
        now.acts.filter(isDone).map((act) => `[x] ${describeAct(act)}`),
      ),
    ],
    ['### In Progress', now.open === undefined ? [] : [`[ ] ${line(now.open)}`]],
    [
      '### Blocked',
      now.acts
        .filter((act) => act.problem !== undefined)
        .slice(-MOST_ITEMS)
        .map(blocked),
    ],
    ['## Key Decisions', join(before('## Key Decisions'), sentences(now.answers, DECISION))],
    ['## Next Steps', now.open === undefined ? [] : [`Answer the last request: ${line(now.open)}`]],
    ['## Critical Context', join(before('## Critical Context'), context(now))],
  ];
  return sections.map(([title, items]) => `${title}\n${bullets(items)}`).join('\n\n');
}

const MOST_ITEMS = 20;
const CONSTRAINT =
  /\b(?:must(?: not)?|never|always|do not|don't|only|prefer(?:ably)?|make sure|avoid|without|keep|should(?: not)?|required?)\b/i;
const DECISION = /\b(?:decided|chose|chosen|instead|because|rather than|will use|going with|opted|therefore)\b/i;
const ORIGIN = 'This summary was extracted by rule by the offline model; no language model read the conversation.';

/** What an earlier summary already had comes first and is said once. */
function join(before: readonly string[], now: readonly string[]): readonly string[] {
  const items = [...new Set([...before, ...now])];
  return items.length <= MOST_ITEMS * 2 ? items : [...items.slice(0, MOST_ITEMS), ...items.slice(-MOST_ITEMS)];
}

/** The bullets under a heading of an earlier summary. */
function itemsOf(summary: string, heading: string): string[] {
  const start = `\n${summary}`.indexOf(`\n${heading}\n`);
  if (start < 0) return [];
  const body = summary.slice(start + heading.length + 1).split(/\n#{2,3} /)[0] ?? '';
  return body
    .split('\n')
    .map((item) => item.replace(/^\s*(?:[-*]|\d+\.)\s+/, '').trim())
    .filter((item) => item !== '' && item !== '(none)');
}

function sentences(texts: readonly string[], wanted: RegExp): string[] {
  const all = texts.flatMap((text) => text.split(/(?<=[.!?])\s+|\n+/));
  return [...new Set(all.filter((sentence) => wanted.test(sentence)).map(line))].slice(0, MOST_ITEMS);
}

function context(now: Transcript): string[] {
  const paths = [...new Set(now.acts.flatMap((act) => act.path ?? []))];
  const later = now.requests
    .slice(1, -1)
    .slice(-MOST_ITEMS)
    .map((request) => `The user also asked: ${line(request)}`);
  const answer = now.answers.at(-1);
  return [
    ...later,
    ...(paths.length > 0
      ? [
          `Files touched: ${paths
            .slice(0, MOST_ITEMS * 2)
            .map(code)
            .join(', ')}`,
        ]
      : []),
    ...(answer === undefined ? [] : [`The last answer began: ${brief(answer, 300)}`]),
    ORIGIN,
  ];
}

function isDone(act: Act): boolean {
  return act.result !== undefined && act.problem === undefined;
}

function describeAct(act: Act): string {
  const target = act.command ?? act.path ?? act.pattern;
  return target === undefined ? act.tool : `${act.tool} ${code(target)}`;
}

function blocked(act: Act): string {
  return `${describeAct(act)}: ${brief(act.problem ?? '', 200)}`;
}

function line(text: string): string {
  return brief(text, 300);
}

function bullets(items: readonly string[]): string {
  return items.length === 0 ? '- (none)' : items.map((item) => `- ${item}`).join('\n');
}
