// First floor, core: one subagent from its assignment to its last word: a session of its own in the same process.
import { messageOf } from '../../base/index.ts';
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
  const ending = (error?: string, answer?: Ending['answer']): Ending => ({
    output: said(),
    usage,
    model: model ? `${model.provider}/${model.id}` : undefined,
    error,
    answer,
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
    if (job.signal.aborted) return ending('Cancelled');
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
      const failure = await failureOf(session, last, job);
      if (failure !== undefined || !job.form) return ending(failure);
      const read = await job.form.read(said());
      if ('data' in read) return ending(undefined, read);
      if (reminders === MOST_REMINDERS) return ending(undefined, { misfit: misfit(read.problem) });
      message = reminder(read.problem, reminders + 1);
    }
  } catch (thrown) {
    return ending(messageOf(thrown));
  } finally {
    job.signal.removeEventListener('abort', stop);
    await session?.close().catch(() => {});
  }
}

async function failureOf(
  session: AgentSession,
  last: AssistantMessage | undefined,
  job: Job,
): Promise<string | undefined> {
  await session.runs.settled();
  if (job.signal.aborted) return 'Cancelled';
  if (!last) return 'The subagent ended without an answer';
  if (last.stopReason === 'error' || last.stopReason === 'aborted') return last.errorMessage ?? 'The subagent failed';
  // It was stopped between two turns: what it says is not an end.
  if (job.purse?.exhausted && last.stopReason === 'toolUse') return `Budget exceeded (${job.purse.exhausted})`;
  return undefined;
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
