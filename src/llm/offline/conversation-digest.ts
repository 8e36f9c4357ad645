// Summarizes a serialized conversation by rule, in the sections that compaction uses.
import type { ModelRequest } from '../../contracts/index.ts';
import { extractText } from '../../protocol/index.ts';
import { formatCode } from './answer-texts.ts';
import { parseTranscript, type ToolCallRecord, type Transcript } from './conversation-transcript.ts';
import { abbreviate } from './text-format.ts';

export interface ConversationText {
  conversation: string;
  previousSummary?: string;
}

/** The conversation to summarize, if the request is a summary request. */
export function extractConversation(
  request: Pick<ModelRequest, 'systemPrompt' | 'messages'>,
): ConversationText | undefined {
  const last = request.messages.at(-1);
  if (last?.role !== 'user') return undefined;
  const text = extractText(last.content);
  const block = extractBetween(text, '<conversation>', '</conversation>', text.lastIndexOf('</conversation>'));
  if (block === undefined) return undefined;
  const outsideText = text.slice(0, block.start) + text.slice(block.end);
  if (!/summar/i.test(request.systemPrompt) && !/summar/i.test(outsideText)) return undefined;
  const previous = extractBetween(outsideText, '<previous-summary>', '</previous-summary>');
  const previousSummary = previous?.inside.endsWith('\n') ? previous.inside.slice(0, -1) : previous?.inside;
  return { conversation: block.inside, ...(previousSummary !== undefined && { previousSummary }) };
}

/** From the first opening tag to `to`, by default the next closing tag. A line break after the opening tag is omitted. */
function extractBetween(
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
  const transcript = parseTranscript(conversation);
  const getPreviousItems = (section: string) => parseItems(previousSummary ?? '', section);
  const sections: [string, readonly string[]][] = [
    ['## Goal', mergeItems(getPreviousItems('## Goal'), transcript.requests.slice(0, 1).map(shortenToLine))],
    [
      '## Constraints & Preferences',
      mergeItems(getPreviousItems('## Constraints & Preferences'), filterSentences(transcript.requests, CONSTRAINT)),
    ],
    [
      '## Progress\n### Done',
      mergeItems(
        getPreviousItems('### Done'),
        transcript.toolCalls.filter(isSuccessful).map((record) => `[x] ${describeToolCall(record)}`),
      ),
    ],
    ['### In Progress', transcript.openRequest === undefined ? [] : [`[ ] ${shortenToLine(transcript.openRequest)}`]],
    [
      '### Blocked',
      transcript.toolCalls
        .filter((record) => record.problem !== undefined)
        .slice(-MAX_ITEMS)
        .map(describeProblem),
    ],
    [
      '## Key Decisions',
      mergeItems(getPreviousItems('## Key Decisions'), filterSentences(transcript.answers, DECISION)),
    ],
    [
      '## Next Steps',
      transcript.openRequest === undefined ? [] : [`Answer the last request: ${shortenToLine(transcript.openRequest)}`],
    ],
    ['## Critical Context', mergeItems(getPreviousItems('## Critical Context'), buildContext(transcript))],
  ];
  return sections.map(([title, items]) => `${title}\n${formatBullets(items)}`).join('\n\n');
}

const MAX_ITEMS = 20;
const CONSTRAINT =
  /\b(?:must(?: not)?|never|always|do not|don't|only|prefer(?:ably)?|make sure|avoid|without|keep|should(?: not)?|required?)\b/i;
const DECISION = /\b(?:decided|chose|chosen|instead|because|rather than|will use|going with|opted|therefore)\b/i;
const ORIGIN_NOTE = 'This summary was extracted by rule by the offline model; no language model read the conversation.';

/** Items of the earlier summary come first; duplicates are removed. */
function mergeItems(previous: readonly string[], current: readonly string[]): readonly string[] {
  const items = [...new Set([...previous, ...current])];
  return items.length <= MAX_ITEMS * 2 ? items : [...items.slice(0, MAX_ITEMS), ...items.slice(-MAX_ITEMS)];
}

/** The bullets under a heading of an earlier summary. */
function parseItems(summary: string, heading: string): string[] {
  const start = `\n${summary}`.indexOf(`\n${heading}\n`);
  if (start < 0) return [];
  const body = summary.slice(start + heading.length + 1).split(/\n#{2,3} /)[0] ?? '';
  return body
    .split('\n')
    .map((item) => item.replace(/^\s*(?:[-*]|\d+\.)\s+/, '').trim())
    .filter((item) => item !== '' && item !== '(none)');
}

function filterSentences(texts: readonly string[], pattern: RegExp): string[] {
  const sentences = texts.flatMap((text) => text.split(/(?<=[.!?])\s+|\n+/));
  return [...new Set(sentences.filter((sentence) => pattern.test(sentence)).map(shortenToLine))].slice(0, MAX_ITEMS);
}

function buildContext(transcript: Transcript): string[] {
  const paths = [...new Set(transcript.toolCalls.flatMap((record) => record.path ?? []))];
  const laterRequests = transcript.requests
    .slice(1, -1)
    .slice(-MAX_ITEMS)
    .map((request) => `The user also asked: ${shortenToLine(request)}`);
  const answer = transcript.answers.at(-1);
  return [
    ...laterRequests,
    ...(paths.length > 0
      ? [
          `Files touched: ${paths
            .slice(0, MAX_ITEMS * 2)
            .map(formatCode)
            .join(', ')}`,
        ]
      : []),
    ...(answer === undefined ? [] : [`The last answer began: ${abbreviate(answer, 300)}`]),
    ORIGIN_NOTE,
  ];
}

function isSuccessful(record: ToolCallRecord): boolean {
  return record.result !== undefined && record.problem === undefined;
}

function describeToolCall(record: ToolCallRecord): string {
  const target = record.command ?? record.path ?? record.pattern;
  return target === undefined ? record.tool : `${record.tool} ${formatCode(target)}`;
}

function describeProblem(record: ToolCallRecord): string {
  return `${describeToolCall(record)}: ${abbreviate(record.problem ?? '', 200)}`;
}

function shortenToLine(text: string): string {
  return abbreviate(text, 300);
}

function formatBullets(items: readonly string[]): string {
  return items.length === 0 ? '- (none)' : items.map((item) => `- ${item}`).join('\n');
}
