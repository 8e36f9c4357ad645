// Runs one prompt in a session, and collects the answer, the usage and the progress.
import { createDeferred, type Fault, getErrorMessage } from '../../../../base/index.ts';
import type { AgentSession } from '../../../../contracts/index.ts';
import {
  type AgentEvent,
  addUsage,
  createEmptyUsage,
  extractText,
  type PromptOutcome,
  type Usage,
} from '../../../../protocol/index.ts';
import type { AgentResult } from './agent-tool.ts';
import { createActivityDescriber } from './describe-activity.ts';

export interface RunContext {
  readonly signal: AbortSignal;
  /** Reports what the agent is doing, in one line. */
  report(message: string): void;
  /** For problems that do not end the run. */
  warn(line: string): void;
}

/** A prompt that was refused is not stored, so its result has no session id. */
export async function runAgent(session: AgentSession, prompt: string, context: RunContext): Promise<AgentResult> {
  const { signal } = context;
  if (signal.aborted) return { status: 'aborted', text: '' };
  const answer = { text: '', usage: createEmptyUsage() };
  const outcome = createDeferred<PromptOutcome>();
  let isAccepted = false;
  const tools = new Map((await session.tools.listAll()).map((tool) => [tool.name, tool]));
  const describe = createActivityDescriber(tools);
  const unsubscribe = session.subscribe((event) => {
    collectAnswer(answer, event);
    const activity = describe(event);
    if (activity) context.report(activity);
    if (event.type === 'notice') context.warn(event.message);
  });
  const abort = () => void session.runs.abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const prompted = session.runs.prompt({
      message: prompt,
      onAccepted() {
        isAccepted = true;
      },
      onOutcome: outcome.resolve,
      onNotRun: (fault: Fault) => outcome.reject(fault),
    });
    if (signal.aborted) abort();
    await prompted;
    return toResult(session, answer, await outcome.promise);
  } catch (thrown) {
    const error = getErrorMessage(thrown);
    return { ...(isAccepted ? describeSession(session) : {}), status: 'error', text: answer.text, error };
  } finally {
    signal.removeEventListener('abort', abort);
    unsubscribe();
  }
}

/** The text of the last message of the model that has text. */
function collectAnswer(answer: { text: string; usage: Usage }, event: AgentEvent): void {
  if (event.type !== 'message_end' || event.message.role !== 'assistant') return;
  addUsage(answer.usage, event.message.usage);
  const text = extractText(event.message.content).trim();
  if (text !== '') answer.text = text;
}

function toResult(
  session: AgentSession,
  { text, usage }: { text: string; usage: Usage },
  { status, error }: PromptOutcome,
): AgentResult {
  const { cost, input, output, cacheRead, cacheWrite } = usage;
  return {
    ...describeSession(session),
    status,
    text,
    ...(error ? { error: error.message } : {}),
    usage: { input, output, cacheRead, cacheWrite, costUsd: cost.total },
  };
}

/** Only a stored session can be continued. */
function describeSession({ id, file }: AgentSession): Pick<AgentResult, 'sessionId'> {
  return file === undefined ? {} : { sessionId: id };
}
