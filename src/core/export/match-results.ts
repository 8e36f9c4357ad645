// Finds the tool call of each tool result, by its id, on the branch of the result. Pure.
import { type AgentMessage, getToolCalls } from '../../protocol/index.ts';

export interface MatchedResults {
  /** The positions of the results of a call of the answer at this position; several if the session branched after the call. */
  getResults(answerPosition: number, callId: string): readonly number[];
  /** Whether the result at this position belongs to a call. */
  isMatched(resultPosition: number): boolean;
}

/** How many entries may lie between a call and its result. Limits the time for hostile logs. */
const MAX_DISTANCE = 256;

export function matchResults(
  messages: readonly (AgentMessage | undefined)[],
  parentPositions: readonly number[],
): MatchedResults {
  const answersByCall = new Map<string, Set<number>>();
  const resultsByCall = new Map<string, number[]>();
  const matched = new Set<number>();
  messages.forEach((message, position) => {
    if (message?.role === 'assistant') for (const { id } of getToolCalls(message)) addTo(answersByCall, id, position);
    if (message?.role !== 'toolResult') return;
    const answer = findAncestor(answersByCall.get(message.toolCallId), position, parentPositions);
    if (answer === undefined) return;
    matched.add(position);
    const key = createKey(answer, message.toolCallId);
    resultsByCall.set(key, [...(resultsByCall.get(key) ?? []), position]);
  });
  return {
    getResults: (answerPosition, callId) => resultsByCall.get(createKey(answerPosition, callId)) ?? [],
    isMatched: (resultPosition) => matched.has(resultPosition),
  };
}

function createKey(position: number, callId: string): string {
  return `${position} ${callId}`;
}

function addTo(answersByCall: Map<string, Set<number>>, callId: string, position: number): void {
  const answers = answersByCall.get(callId);
  if (answers) answers.add(position);
  else answersByCall.set(callId, new Set([position]));
}

/** The nearest ancestor of `position` that is one of the candidates. */
function findAncestor(
  candidates: ReadonlySet<number> | undefined,
  position: number,
  parentPositions: readonly number[],
): number | undefined {
  if (!candidates) return undefined;
  let at = parentPositions[position] ?? -1;
  for (let steps = 0; at >= 0 && steps < MAX_DISTANCE; steps++) {
    if (candidates.has(at)) return at;
    at = parentPositions[at] ?? -1;
  }
  return undefined;
}
