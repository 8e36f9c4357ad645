// The `agent_before_settle` event: extensions can add entries to the session and ask for one more request.
import { Fault, isRecord } from '../../../base/index.ts';
import type { PlannedSettlement, SettlementHookResult } from '../../../contracts/index.ts';
import type { AgentMessage, EntryBody, SessionEntry } from '../../../protocol/index.ts';
import { toModelMessages } from '../../context/to-model-messages.ts';
import { buildContextMessages, entryToMessages } from '../../tree/context-path.ts';
import type { Extension } from '../extension.ts';
import type { HandlerRunner } from '../handler-runner.ts';

type Report = (extension: Pick<Extension, 'path'>, event: string, thrown: unknown) => void;

const EVENT = 'agent_before_settle';

/** Each handler sees what the handlers before it proposed. A proposal that is not valid is reported and ignored. */
export async function emitBeforeSettle(
  runner: HandlerRunner,
  report: Report,
  { outcome, path }: PlannedSettlement,
): Promise<SettlementHookResult> {
  const proposal = { drafts: [] as unknown[], entries: [] as EntryBody[], shouldContinue: false };
  const event = { type: EVENT, outcome, entries: proposal.drafts, continue: false, context: preview(path, []) };
  await runner.emit(event, (result, extension) => {
    if (!isRecord(result)) return false;
    try {
      if (Array.isArray(result.entries)) {
        const entries = result.entries.map((draft) => toEntryBody(draft, path));
        Object.assign(proposal, { drafts: [...result.entries], entries });
      }
      if (typeof result.continue === 'boolean') proposal.shouldContinue = result.continue;
    } catch (thrown) {
      report(extension, EVENT, thrown);
    }
    const { drafts, entries, shouldContinue } = proposal;
    Object.assign(event, { entries: [...drafts], continue: shouldContinue, context: preview(path, entries) });
    return false;
  });
  if (proposal.shouldContinue && outcome === 'completed' && !event.context.canContinue) {
    report({ path: EVENT }, EVENT, new Fault('refused', 'The run cannot continue: add a custom_message first'));
    proposal.shouldContinue = false;
  }
  return { entries: proposal.entries, shouldContinue: proposal.shouldContinue };
}

/** The context as it would be with the proposed entries. */
function preview(path: readonly SessionEntry[], entries: readonly EntryBody[]) {
  const timestamp = path.at(-1)?.timestamp ?? new Date(0).toISOString();
  const proposed = entries.map(
    (body, at) => ({ ...body, id: `draft${at}`, parentId: null, timestamp }) as SessionEntry,
  );
  const contextEntries = [...path, ...proposed];
  const contextMessages: AgentMessage[] = buildContextMessages(contextEntries);
  const llmMessages = toModelMessages(contextMessages);
  const pendingMessages = proposed.flatMap(entryToMessages);
  const canContinue = llmMessages.length > 0 && llmMessages.at(-1)?.role !== 'assistant';
  return { contextEntries, contextMessages, llmMessages, pendingMessages, canContinue };
}

function toEntryBody(draft: unknown, path: readonly SessionEntry[]): EntryBody {
  if (!isRecord(draft)) throw new Fault('invalid_params', 'An entry must be an object');
  const { type, customType, data, content, display, details, summary, firstKeptEntryId } = draft;
  const optionalDetails = details === undefined ? {} : { details };
  if (type === 'custom' && typeof customType === 'string')
    return { type, customType, ...(data === undefined ? {} : { data }) };
  if (
    type === 'custom_message' &&
    typeof customType === 'string' &&
    (typeof content === 'string' || Array.isArray(content))
  )
    return { type, customType, content, display: display !== false, ...optionalDetails } as EntryBody;
  if (type === 'compaction' && typeof summary === 'string') {
    if (!path.some(({ id }) => id === firstKeptEntryId))
      throw new Fault('invalid_params', `Unknown firstKeptEntryId: ${String(firstKeptEntryId)}`);
    return { type, summary, firstKeptEntryId, tokensBefore: 0, details } as EntryBody;
  }
  throw new Fault(
    'invalid_params',
    `An entry of the type ${String(type)} cannot be added; use a complete custom, custom_message or compaction entry`,
  );
}
