// Finds what an earlier process has left of the tool calls of the last answer. Pure.
import { isRecord } from '../../base/index.ts';
import { getToolCalls, type SessionEntry, type ToolResultMessage } from '../../protocol/index.ts';
import { TOOL_START_ENTRY } from '../../protocol/run-progress.ts';
import type { CallProgress, OpenTurn } from '../agent/run-tool-calls.ts';
import { entryToMessages } from '../tree/context-path.ts';

export const INTERRUPTED =
  'Interrupted: the program ended before this tool call was finished. It may have had effects.';

/** What follows the answer, by the id of the call. */
interface CallRecords {
  readonly results: ToolResultMessage[];
  /** When a call was started that has no result. */
  startedAt: string | undefined;
}

/** `undefined` if all calls have results, or if the conversation has gone on without them. */
export function findOpenTurn(path: readonly SessionEntry[], sessionId: string): OpenTurn | undefined {
  const at = path.findLastIndex((entry) => getMessage(entry)?.role === 'assistant');
  const entry = path[at];
  const answer = entry && getMessage(entry);
  // The tool calls of a failed or aborted answer are never sent to the model again.
  if (answer?.role !== 'assistant' || answer.stopReason === 'error' || answer.stopReason === 'aborted')
    return undefined;
  const later = path.slice(at + 1);
  if (later.some((other) => getMessage(other)?.role === 'user')) return undefined;
  const records = collectRecords(later);
  const isRecorded = entry?.type === 'message' && entry.startsRecordedIn === sessionId;
  const progress = getToolCalls(answer).map(({ id }) => takeProgress(records.get(id), isRecorded));
  return progress.some(({ result }) => !result) ? { answer, progress } : undefined;
}

function getMessage(entry: SessionEntry) {
  return entryToMessages(entry)[0];
}

function collectRecords(entries: readonly SessionEntry[]): Map<string, CallRecords> {
  const records = new Map<string, CallRecords>();
  const find = (id: string) => {
    const found = records.get(id) ?? { results: [], startedAt: undefined };
    records.set(id, found);
    return found;
  };
  for (const entry of entries) {
    const message = getMessage(entry);
    if (message?.role === 'toolResult') {
      const record = find(message.toolCallId);
      record.results.push(message);
      record.startedAt = undefined;
    }
    if (entry.type === 'custom' && entry.customType === TOOL_START_ENTRY && isRecord(entry.data))
      find(String(entry.data.toolCallId)).startedAt = entry.timestamp;
  }
  return records;
}

/** Some servers use an id for several calls of an answer. Calls are run in order, so the first ones have the results. */
function takeProgress(record: CallRecords | undefined, isRecorded: boolean): CallProgress {
  const result = record?.results.shift();
  if (result) return { result };
  const startedAt = record?.startedAt;
  if (record) record.startedAt = undefined;
  if (startedAt === undefined) return isRecorded ? {} : { interruption: INTERRUPTED };
  return {
    interruption: `Interrupted: the program ended before this tool call was finished. It was started at ${startedAt} and may have had effects.`,
  };
}
