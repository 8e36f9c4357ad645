// First floor, core: the moments at which core asks, as events of extensions, and what their handlers return as verdicts.
import { isRecord, messageOf } from '../../base/index.ts';
import type { CallVerdict, Hooks, InputVerdict, RunPreparation, Said, ToolResult } from '../../contracts/index.ts';
import type { AgentMessage, CompactionResult, CustomMessage } from '../../protocol/index.ts';
import { announcements } from './happenings.ts';
import type { HandlerRunner } from './runner.ts';
import { shellVerdict } from './user-bash.ts';

export interface HookParts {
  runner: HandlerRunner;
  now(): number;
  /** A prompt that begins with the name of a command. */
  command(said: Said): InputVerdict | undefined;
  /** Another conversation is in place. */
  moved(): Promise<void>;
}

type Loose = Record<string, unknown>;

/** Where no handler is, no hook is: core does not even wait. */
export function createHooks(parts: HookParts): Hooks {
  const { runner } = parts;
  const when = <H>(hook: H, ...events: readonly string[]): H | undefined =>
    events.some((event) => runner.has(event)) ? hook : undefined;
  return {
    input: (said) => input(parts, said),
    get beforeRun() {
      return when<Hooks['beforeRun']>((opening) => beforeRun(parts, opening), 'before_agent_start');
    },
    get context() {
      return when<Hooks['context']>((messages) => context(runner, messages), 'context');
    },
    get beforeRequest() {
      return when<Hooks['beforeRequest']>((body) => beforeRequest(runner, body), 'before_provider_request');
    },
    get toolCall() {
      return when<Hooks['toolCall']>((call) => toolCall(runner, call), 'tool_call');
    },
    get toolResult() {
      return when<Hooks['toolResult']>((result) => toolResult(runner, result), 'tool_result');
    },
    get shell() {
      return when<Hooks['shell']>((planned) => shellVerdict(runner, planned), 'user_bash');
    },
    get beforeSwitch() {
      const event = 'session_before_switch';
      return when<Hooks['beforeSwitch']>((to) => objection(runner, [{ type: event, ...to }]), event);
    },
    get beforeBranch() {
      const events = ['session_before_branch', 'session_before_fork'];
      const ask: Hooks['beforeBranch'] = (about) =>
        objection(
          runner,
          events.map((type) => ({ type, ...about })),
        );
      return when(ask, ...events);
    },
    get beforeCompact() {
      return when<Hooks['beforeCompact']>((plan) => beforeCompact(runner, plan), 'session_before_compact');
    },
    get beforeMove() {
      return when<Hooks['beforeMove']>((plan) => beforeMove(runner, plan), 'session_before_tree');
    },
    async observe(happening) {
      if (happening.type === 'session_start') await parts.moved();
      for (const event of announcements(happening)) await runner.emit(event);
    },
  };
}

async function input({ command, runner }: HookParts, said: Said): Promise<InputVerdict | undefined> {
  const own = command(said);
  if (own || !runner.has('input')) return own;
  const { text, images, source } = said;
  // The next handler sees the words as this one left them.
  const event = { type: 'input', text, images: images.length > 0 ? images : undefined, source };
  let handled = false;
  await runner.emit(event, (result) => {
    if (!isRecord(result)) return false;
    if (result.action === 'transform' && typeof result.text === 'string') {
      event.text = result.text;
      if (Array.isArray(result.images)) event.images = result.images as typeof images;
    }
    handled = result.action === 'handled' || result.handled === true;
    return handled;
  });
  if (handled) return { handled: true };
  const changed = event.text !== text || (event.images ?? images) !== images;
  return changed ? { text: event.text, images: event.images } : undefined;
}

async function beforeRun(
  { runner, now }: HookParts,
  opening: Parameters<NonNullable<Hooks['beforeRun']>>[0],
): Promise<RunPreparation> {
  const messages: CustomMessage[] = [];
  const event = {
    type: 'before_agent_start',
    prompt: opening.prompt,
    ...(opening.images.length > 0 ? { images: [...opening.images] } : {}),
    systemPrompt: opening.systemPrompt,
  };
  await runner.emit(event, (result) => {
    if (!isRecord(result)) return false;
    if (isRecord(result.message)) messages.push(customMessage(result.message, now()));
    // The next handler sees the prompt as this one left it.
    if (typeof result.systemPrompt === 'string') event.systemPrompt = result.systemPrompt;
    return false;
  });
  const changed = event.systemPrompt !== opening.systemPrompt;
  return { messages, ...(changed ? { systemPrompt: event.systemPrompt } : {}) };
}

function customMessage(message: Loose, timestamp: number): CustomMessage {
  const { customType, content, display, details } = message;
  return {
    role: 'custom',
    customType: String(customType ?? 'extension'),
    content: (content ?? '') as CustomMessage['content'],
    display: display !== false,
    ...(details === undefined ? {} : { details }),
    timestamp,
  };
}

async function context(
  runner: HandlerRunner,
  messages: readonly AgentMessage[],
): Promise<readonly AgentMessage[] | undefined> {
  const event = { type: 'context', messages: [...messages] };
  await runner.emit(event, (result) => {
    if (isRecord(result) && Array.isArray(result.messages)) event.messages = result.messages as AgentMessage[];
    return false;
  });
  return event.messages;
}

async function beforeRequest(runner: HandlerRunner, payload: unknown): Promise<unknown> {
  const event = { type: 'before_provider_request', payload };
  await runner.emit(event, (result) => {
    if (result !== undefined) event.payload = result;
    return false;
  });
  return event.payload;
}

/** Handlers may change `input` in place. One that fails, or does not come back, blocks: it may be what guards the gate. */
async function toolCall(
  runner: HandlerRunner,
  { toolName, toolCallId, input }: Parameters<NonNullable<Hooks['toolCall']>>[0],
): Promise<CallVerdict> {
  let blocked: CallVerdict | undefined;
  const event = { type: 'tool_call', toolName, toolCallId, input: input as Loose };
  try {
    await runner.emit(
      event,
      (result, { path }) => {
        if (!isRecord(result) || result.block !== true) return false;
        const reason = typeof result.reason === 'string' && result.reason !== '' ? result.reason : undefined;
        blocked = { block: true, reason: reason ?? `Tool execution was blocked by an extension (${path})` };
        return true;
      },
      { throws: true },
    );
  } catch (thrown) {
    return { block: true, reason: `An extension failed, so the tool was blocked: ${messageOf(thrown)}` };
  }
  return blocked ?? { input: event.input };
}

async function toolResult(
  runner: HandlerRunner,
  finished: Parameters<NonNullable<Hooks['toolResult']>>[0],
): Promise<Partial<ToolResult>> {
  let changes: Partial<ToolResult> = {};
  const event = { type: 'tool_result', ...finished, content: [...finished.content] };
  await runner.emit(event, (result) => {
    if (!isRecord(result)) return false;
    const { content, details, isError } = result as Partial<ToolResult>;
    changes = {
      ...changes,
      ...(Array.isArray(content) ? { content } : {}),
      ...(details === undefined ? {} : { details }),
      ...(typeof isError === 'boolean' ? { isError } : {}),
    };
    Object.assign(event, changes);
    return false;
  });
  return changes;
}

async function objection(
  runner: HandlerRunner,
  events: readonly { readonly type: string }[],
): Promise<{ cancel: boolean; keepsConversation: boolean }> {
  let cancel = false;
  let keepsConversation = false;
  for (const event of events) {
    if (cancel) break;
    await runner.emit(event, (result) => {
      if (!isRecord(result)) return false;
      keepsConversation ||= result.skipConversationRestore === true;
      cancel = result.cancel === true;
      return cancel;
    });
  }
  return { cancel, keepsConversation };
}

async function beforeCompact(
  runner: HandlerRunner,
  plan: Parameters<NonNullable<Hooks['beforeCompact']>>[0],
): Promise<{ cancel: true } | { compaction: CompactionResult } | undefined> {
  const { branchEntries, customInstructions, signal, ...preparation } = plan;
  const { messagesToSummarize, turnPrefixMessages } = preparation;
  let verdict: { cancel: true } | { compaction: CompactionResult } | undefined;
  const event = {
    type: 'session_before_compact',
    preparation: { ...preparation, isSplitTurn: turnPrefixMessages.length > 0, messagesToSummarize },
    branchEntries,
    customInstructions,
    signal,
  };
  await runner.emit(event, (result) => {
    if (!isRecord(result)) return false;
    if (result.cancel === true) verdict = { cancel: true };
    else if (isCompaction(result.compaction)) verdict = { compaction: { details: undefined, ...result.compaction } };
    return result.cancel === true;
  });
  return verdict;
}

function isCompaction(value: unknown): value is Omit<CompactionResult, 'details'> {
  return isRecord(value) && typeof value.summary === 'string' && typeof value.firstKeptEntryId === 'string';
}

async function beforeMove(runner: HandlerRunner, plan: Parameters<NonNullable<Hooks['beforeMove']>>[0]) {
  const { signal, summarize, ...rest } = plan;
  let sum: Loose = {};
  const preparation = { ...rest, userWantsSummary: summarize, commonAncestorId: null };
  await runner.emit({ type: 'session_before_tree', preparation, signal } as { type: string }, (result) => {
    if (isRecord(result)) sum = { ...sum, ...result };
    return sum.cancel === true;
  });
  const summary = isRecord(sum.summary) && typeof sum.summary.summary === 'string' ? sum.summary : undefined;
  return {
    cancel: sum.cancel === true,
    ...(summary ? { summary: summary as { summary: string } } : {}),
    ...(typeof sum.customInstructions === 'string' ? { customInstructions: sum.customInstructions } : {}),
  };
}
