// Runs one subagent in its own session in the same process and returns its last message.
import { Fault, getErrorMessage } from '../../base/index.ts';
import type { AgentSession } from '../../contracts/index.ts';
import {
  type AgentEvent,
  type AssistantMessage,
  addUsage,
  createEmptyUsage,
  extractText,
  type Usage,
} from '../../protocol/index.ts';
import type { SubagentHost } from '../session/parent-link.ts';
import { formatMismatch, formatReminder, MAX_REMINDERS } from './answer-parser.ts';
import { describeStopRequest, type RunningSubagent } from './running-subagent.ts';
import type { Spawner } from './spawner.ts';
import { createSubagentSessionOptions, type SubagentSessionRequest } from './subagent-session-options.ts';

export interface SubagentRunOptions extends SubagentSessionRequest {
  readonly prompt: string;
  readonly signal: AbortSignal;
  readonly running: RunningSubagent;
  /** The log to continue. Absent: it starts a new one. */
  readonly resumedLog?: string | undefined;
  /** The subagent waits for a returned promise. */
  onEvent(event: AgentEvent): undefined | Promise<void>;
}

export interface SubagentRunResult {
  readonly output: string;
  readonly usage: Usage;
  readonly model: string | undefined;
  readonly error: string | undefined;
  /** Whether the error is an abort or an exceeded budget, and not a failure of the subagent. */
  readonly isStopped: boolean;
  /** Set when a schema was requested: the parsed answer, or why it does not match. A mismatch is not an `error`. */
  readonly answer?: { readonly data: unknown } | { readonly mismatch: string } | undefined;
}

/** How a run ended. `stop` and `failure` are texts for the result. */
interface RunEnd {
  readonly failure?: string | undefined;
  readonly stop?: string | undefined;
  readonly answer?: SubagentRunResult['answer'];
}

/** Never rejects: every failure is reported in the result. */
export async function runSubagent(
  spawner: Spawner,
  host: SubagentHost,
  options: SubagentRunOptions,
): Promise<SubagentRunResult> {
  const answerRecorder = new AnswerRecorder();
  let session: AgentSession | undefined;
  const stop = () => void session?.runs.abort().catch(() => {});
  try {
    session = await openSubagentSession(spawner, host, options);
    session.subscribe((event) => {
      answerRecorder.record(event);
      return options.onEvent(event);
    });
    options.signal.addEventListener('abort', stop, { once: true });
    if (options.signal.aborted) return createResult(answerRecorder, options, { stop: describeStop(options) });
    await emitSessionEvent(host, session, options);
    return createResult(answerRecorder, options, await promptUntilAnswered(session, answerRecorder, options));
  } catch (thrown) {
    return createResult(answerRecorder, options, describeThrown(thrown, options));
  } finally {
    options.signal.removeEventListener('abort', stop);
    await session?.close().catch(() => {});
  }
}

async function openSubagentSession(
  spawner: Spawner,
  host: SubagentHost,
  options: SubagentRunOptions,
): Promise<AgentSession> {
  const sessionOptions = await createSubagentSessionOptions(spawner, host, options);
  if (options.resumedLog === undefined) return spawner.openSession(sessionOptions);
  const resumed = await sessionOptions.store.resume(options.resumedLog);
  try {
    return await spawner.openSession({ ...sessionOptions, resumed });
  } catch (thrown) {
    await resumed.log.close();
    throw thrown;
  }
}

/** Keeps the last answer of a session and adds up the usage of all answers. */
class AnswerRecorder {
  readonly usage = createEmptyUsage();
  #last: AssistantMessage | undefined;

  get last(): AssistantMessage | undefined {
    return this.#last;
  }

  get lastText(): string {
    return this.#last ? extractText(this.#last.content) : '';
  }

  record(event: AgentEvent): void {
    if (event.type !== 'message_end' || event.message.role !== 'assistant') return;
    this.#last = event.message;
    addUsage(this.usage, event.message.usage);
  }
}

function createResult(
  { lastText, usage }: AnswerRecorder,
  { model }: SubagentRunOptions,
  { stop, failure, answer }: RunEnd,
): SubagentRunResult {
  return {
    output: lastText,
    usage,
    model: model ? `${model.provider}/${model.id}` : undefined,
    error: stop ?? failure,
    isStopped: stop !== undefined,
    answer,
  };
}

async function emitSessionEvent(
  host: SubagentHost,
  session: AgentSession,
  { id, model, prompt }: SubagentRunOptions,
): Promise<void> {
  await host.emit({
    type: 'subagent_session',
    id,
    model: model?.id ?? '',
    contextWindow: model?.contextWindow ?? 0,
    tools: (await session.tools.listActive()).map(({ name }) => name),
    prompt,
  });
}

/** Sends the prompt. An answer that does not match the requested schema is followed by a reminder. */
async function promptUntilAnswered(
  session: AgentSession,
  answerRecorder: AnswerRecorder,
  options: SubagentRunOptions,
): Promise<RunEnd> {
  let message = options.prompt;
  for (let reminders = 0; ; reminders += 1) {
    await session.runs.prompt({
      message,
      onAccepted() {
        options.running.attach(session);
        // An abort before the run has started had nothing to abort.
        if (options.signal.aborted) void session.runs.abort().catch(() => {});
      },
    });
    await session.runs.waitUntilSettled();
    options.running.detach();
    const stop = findStopReason(answerRecorder.last, options);
    const failure = findFailure(answerRecorder.last);
    if (stop !== undefined || failure !== undefined || !options.answerParser) return { stop, failure };
    const parsed = await options.answerParser.parse(answerRecorder.lastText);
    if ('data' in parsed) return { answer: parsed };
    if (reminders === MAX_REMINDERS) return { answer: { mismatch: formatMismatch(parsed.problem) } };
    message = formatReminder(parsed.problem, reminders + 1);
  }
}

function describeThrown(thrown: unknown, options: SubagentRunOptions): RunEnd {
  // The session refuses a prompt when the budget is already exceeded.
  const isRefused =
    thrown instanceof Fault && thrown.code === 'refused' && options.budgetAccount?.stoppingLimit !== undefined;
  return isRefused || options.signal.aborted ? { stop: describeStop(options) } : { failure: getErrorMessage(thrown) };
}

/** Why an abort or the budget ended the run before the final answer; `undefined` when the final answer exists. */
function findStopReason(last: AssistantMessage | undefined, options: SubagentRunOptions): string | undefined {
  const hasFinalAnswer = last?.stopReason === 'stop' || last?.stopReason === 'length';
  if (hasFinalAnswer) return undefined;
  // The budget stopped the run between two turns: the last answer still calls tools.
  const isOutOfBudget = options.budgetAccount?.stoppingLimit !== undefined && last?.stopReason === 'toolUse';
  return options.signal.aborted || isOutOfBudget ? describeStop(options) : undefined;
}

function describeStop({ budgetAccount, signal }: SubagentRunOptions): string {
  const stopRequest = describeStopRequest(signal);
  if (stopRequest !== undefined) return stopRequest;
  return budgetAccount?.stoppingLimit ? `Budget exceeded (${budgetAccount.stoppingLimit})` : 'Cancelled';
}

function findFailure(last: AssistantMessage | undefined): string | undefined {
  if (!last) return 'The subagent ended without an answer';
  const isFailed = last.stopReason === 'error' || last.stopReason === 'aborted';
  return isFailed ? (last.errorMessage ?? 'The subagent failed') : undefined;
}
