// First floor, core: one subagent from its assignment to its last word: a session of its own in the same process.
import { Fault, messageOf } from '../../base/index.ts';
import type { AgentSession, Hooks, Tool } from '../../contracts/index.ts';
import {
  type AgentEvent,
  type AssistantMessage,
  addUsage,
  type Model,
  noUsage,
  textOf,
  type Usage,
} from '../../protocol/index.ts';
import type { Family, SubagentHost } from '../session/family.ts';
import type { SessionOptions } from '../session/options.ts';
import { type AnswerForm, MOST_REMINDERS, misfit, reminder } from './answer.ts';
import type { AgentDefinition } from './definition.ts';
import type { Spawner } from './spawner.ts';

export interface Job {
  /** Names its log; the id of the task, or of its repair. */
  readonly name: string;
  readonly id: string;
  readonly agent: AgentDefinition;
  readonly model: Model | null;
  readonly prompt: string;
  /** What the answer must look like. */
  readonly form: AnswerForm | undefined;
  readonly cwd: string;
  readonly folder: string;
  readonly purse: Family['purse'];
  readonly signal: AbortSignal;
  /** A promise makes the subagent wait. */
  watch(event: AgentEvent): undefined | Promise<void>;
}

export interface Ending {
  readonly output: string;
  readonly usage: Usage;
  readonly model: string | undefined;
  readonly error: string | undefined;
  /** The error is an abort or the budget, and no fault of the subagent. */
  readonly isStopped: boolean;
  /** The answer as data, when a form was asked for, or why it is not. It came to its end all the same. */
  readonly answer?: { readonly data: unknown } | { readonly misfit: string } | undefined;
}

/** Never rejects: whatever goes wrong in a subagent is its ending. */
export async function runSubagent(spawner: Spawner, host: SubagentHost, job: Job): Promise<Ending> {
  const usage = noUsage();
  let last: AssistantMessage | undefined;
  const { model } = job;
  let session: AgentSession | undefined;
  const said = () => (last ? textOf(last.content) : '');
  const ending = (how: {
    failure?: string | undefined;
    stop?: string | undefined;
    answer?: Ending['answer'];
  }): Ending => ({
    output: said(),
    usage,
    model: model ? `${model.provider}/${model.id}` : undefined,
    error: how.stop ?? how.failure,
    isStopped: how.stop !== undefined,
    answer: how.answer,
  });
  const stop = () => void session?.runs.abort().catch(() => {});
  try {
    session = await spawner.open(await optionsFor(spawner, host, job));
    session.subscribe((event) => {
      if (event.type === 'message_end' && event.message.role === 'assistant') {
        last = event.message;
        addUsage(usage, event.message.usage);
      }
      return job.watch(event);
    });
    job.signal.addEventListener('abort', stop, { once: true });
    if (job.signal.aborted) return ending({ stop: stopReason(job) });
    await host.emit({
      type: 'subagent_session',
      id: job.id,
      model: model?.id ?? '',
      contextWindow: model?.contextWindow ?? 0,
      tools: (await session.tools.active()).map(({ name }) => name),
      prompt: job.prompt,
    });
    let message = job.prompt;
    for (let reminders = 0; ; reminders += 1) {
      await session.runs.prompt({ message, accepted: () => {} });
      await session.runs.settled();
      const stop = stopOf(last, job);
      const failure = failureOf(last);
      if (stop !== undefined || failure !== undefined || !job.form) return ending({ stop, failure });
      const read = await job.form.read(said());
      if ('data' in read) return ending({ answer: read });
      if (reminders === MOST_REMINDERS) return ending({ answer: { misfit: misfit(read.problem) } });
      message = reminder(read.problem, reminders + 1);
    }
  } catch (thrown) {
    // A prompt is refused when the budget was spent before it.
    const isRefused = thrown instanceof Fault && thrown.code === 'refused' && job.purse?.exhausted !== undefined;
    return ending(isRefused || job.signal.aborted ? { stop: stopReason(job) } : { failure: messageOf(thrown) });
  } finally {
    job.signal.removeEventListener('abort', stop);
    await session?.close().catch(() => {});
  }
}

/** Why an abort or the budget ended it before its last answer; `undefined` when it had that answer already. */
function stopOf(last: AssistantMessage | undefined, job: Job): string | undefined {
  const isOver = last?.stopReason === 'stop' || last?.stopReason === 'length';
  if (isOver) return undefined;
  // Between two turns, when the last answer still calls tools.
  const isSpent = job.purse?.exhausted !== undefined && last?.stopReason === 'toolUse';
  return job.signal.aborted || isSpent ? stopReason(job) : undefined;
}

function stopReason({ purse }: Job): string {
  return purse?.exhausted ? `Budget exceeded (${purse.exhausted})` : 'Cancelled';
}

function failureOf(last: AssistantMessage | undefined): string | undefined {
  if (!last) return 'The subagent ended without an answer';
  const isFailed = last.stopReason === 'error' || last.stopReason === 'aborted';
  return isFailed ? (last.errorMessage ?? 'The subagent failed') : undefined;
}

async function optionsFor(spawner: Spawner, host: SubagentHost, job: Job): Promise<SessionOptions> {
  const { agent, model, purse } = job;
  const depth = (host.family?.depth ?? 0) + 1;
  const maySpawn = depth < spawner.settings.maxRecursionDepth && agent.spawns.length > 0;
  const tools = (await host.tools()).filter(
    (tool) => isFor(agent, tool) && !tool.asksHost && (maySpawn || !startsSubagents(tool)),
  );
  const { hooks, ...base } = spawner.base;
  return {
    ...base,
    store: spawner.logs(job.folder, job.name),
    resumed: undefined,
    name: undefined,
    model,
    modelAsked: true,
    thinkingLevel: agent.thinkingLevel ?? host.thinkingLevel,
    cwd: job.cwd,
    tools: async () => tools,
    systemPrompt: introduction(agent, job.form),
    appendSystemPrompt: undefined,
    hooks: hooks?.map(gates),
    budget: undefined,
    maxTurns: undefined,
    family: {
      depth,
      id: job.id,
      agent: agent.name,
      spawns: agent.spawns,
      emit: host.emit,
      children: host.children,
      purse,
      schema: job.form?.schema,
    },
  };
}

/** Never more than its parent may do. */
function isFor({ tools }: AgentDefinition, tool: Tool): boolean {
  return tools === undefined || tools.includes(tool.name) || startsSubagents(tool);
}

function startsSubagents(tool: Tool): boolean {
  return tool.startsSubagents === true;
}

/** Whoever guards the parent's tools guards the subagent's. What else they do is about the user's own conversation. */
function gates(hooks: Hooks): Hooks {
  return {
    get toolCall() {
      return hooks.toolCall;
    },
    get toolResult() {
      return hooks.toolResult;
    },
    get beforeRequest() {
      return hooks.beforeRequest;
    },
  };
}

function introduction({ prompt }: AgentDefinition, form: AnswerForm | undefined): string {
  if (!form) return prompt;
  return `${prompt}\n\nYour last message must be one JSON value and nothing else, in this form:\n${JSON.stringify(form.schema)}`;
}
