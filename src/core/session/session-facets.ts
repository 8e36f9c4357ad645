// Creates the facets of one session and connects them.
import { CompactionFacet } from './compaction-facet.ts';
import { DigestWriter } from './digest-writer.ts';
import { HistoryFacet } from './history-facet.ts';
import type { HistoryPorts } from './history-ports.ts';
import { InputPipeline } from './input-pipeline.ts';
import type { ModelFacet } from './model-facet.ts';
import { NamingFacet } from './naming-facet.ts';
import { PromptOutcomes } from './prompt-outcomes.ts';
import { QueueFacet } from './queue-facet.ts';
import { RequestBuilder } from './request-builder.ts';
import { type Checkpoint, type RestoredState, restoreState } from './restore-state.ts';
import { RetryFacet } from './retry-facet.ts';
import { RuleFacet } from './rule-facet.ts';
import { RunFacet } from './run-facet.ts';
import type { SessionLimits } from './session-limits.ts';
import type { SessionState } from './session-state.ts';
import { ShellFacet } from './shell-facet.ts';
import { SubagentFacet } from './subagent-facet.ts';
import { TodoFacet } from './todo-facet.ts';
import { ToolFacet } from './tool-facet.ts';

export interface SessionFacets {
  readonly state: SessionState;
  /** Replaced when a trust decision changes the budget. */
  limits: SessionLimits;
  readonly models: ModelFacet;
  readonly naming: NamingFacet;
  readonly digestWriter: DigestWriter;
  readonly queues: QueueFacet;
  readonly tools: ToolFacet;
  readonly requestBuilder: RequestBuilder;
  readonly shell: ShellFacet;
  readonly retry: RetryFacet;
  readonly rules: RuleFacet;
  readonly compaction: CompactionFacet;
  readonly todos: TodoFacet;
  readonly inputPipeline: InputPipeline;
  readonly subagents: SubagentFacet;
  readonly runs: RunFacet;
  readonly history: HistoryFacet;
}

/** `models` comes before `naming`: both append entries when they are created, and the order of the entries is on disk. */
export function createFacets(state: SessionState, models: ModelFacet, limits: SessionLimits): SessionFacets {
  const naming = new NamingFacet(state);
  const digestWriter = new DigestWriter(state, naming);
  const getLimits = () => facets.limits;
  const outcomes = new PromptOutcomes(() => facets.runs.isSettled);
  const queues = new QueueFacet(state, outcomes, {
    getBudgetReason() {
      const { exceededLimit } = facets.limits;
      return exceededLimit && `Session budget exceeded (${exceededLimit})`;
    },
    getInputPipeline: () => facets.inputPipeline,
    needsNextStep: () => facets.runs.needsNextStep,
  });
  const tools: ToolFacet = new ToolFacet(state.options, () => requestBuilder.reset());
  const requestBuilder = new RequestBuilder(state, { models, getLimits, tools });
  const shell = new ShellFacet(state, () => facets.runs.isRunning);
  const rules = new RuleFacet(state);
  const compaction = new CompactionFacet(state, requestBuilder, {
    abortRun: () => facets.runs.abort(),
    createCheckpoint: () => createCheckpoint(facets),
  });
  const subagents: SubagentFacet = new SubagentFacet(state, models, tools, {
    getLimits,
    createScope: async (controller) => (await import('./start-run.ts')).createRunScope(runDependencies, { controller }),
  });
  const created = {
    ...{
      state,
      limits,
      models,
      naming,
      digestWriter,
      queues,
      tools,
      requestBuilder,
      shell,
      rules,
      compaction,
      subagents,
    },
    retry: new RetryFacet(state),
    todos: new TodoFacet(state),
    inputPipeline: new InputPipeline(state, () => models.current),
  };
  const runDependencies = {
    ...created,
    outcomes,
    get limits() {
      return facets.limits;
    },
    subagents: subagents.taskRunner,
  };
  const runs = new RunFacet(runDependencies);
  const history = new HistoryFacet(
    state,
    createHistoryPorts(() => facets),
  );
  const facets: SessionFacets = { ...created, runs, history };
  return facets;
}

function createCheckpoint({ naming, models, queues, shell, rules, limits }: SessionFacets): Checkpoint {
  const { current } = models;
  return {
    name: naming.name,
    ...(current ? { model: { provider: current.provider, modelId: current.id } } : {}),
    thinkingLevel: models.requestedLevel,
    queued: queues.pendingItems,
    held: shell.heldItems,
    ...(rules.triggeredRules.length > 0 ? { injectedRules: rules.triggeredRules } : {}),
    ...(limits.spent ? { spent: limits.spent } : {}),
  };
}

function createHistoryPorts(getFacets: () => SessionFacets): HistoryPorts {
  return {
    getHeldMessages: () => getFacets().shell.heldMessages,
    getSessionName: () => getFacets().naming.name,
    getPromptPrefix: () => getFacets().requestBuilder.getPromptPrefix(),
    summarize: (text, signal) => getFacets().requestBuilder.summarize(text, signal),
    saveDigest: () => getFacets().digestWriter.flush(),
    stopShellCommands: () => getFacets().shell.stopAll(),
    async abortActiveWork() {
      const { runs, compaction, subagents } = getFacets();
      await runs.abort();
      await compaction.abort();
      await subagents.stopStarted();
    },
    onConversationChanged: (origin, name) => enterConversation(getFacets(), origin, name),
  };
}

/** The session has switched to another conversation. */
async function enterConversation(
  facets: SessionFacets,
  origin: Parameters<HistoryPorts['onConversationChanged']>[0],
  name: string | undefined,
): Promise<void> {
  const { state, models, digestWriter } = facets;
  // The host may have started one while the conversation was being replaced.
  await facets.subagents.stopStarted();
  const restored = restoreState(state.conversation.lazyPath);
  restoreQueues(facets, restored);
  facets.naming.reset(name);
  facets.requestBuilder.reset();
  facets.rules.reset();
  facets.todos.reset();
  facets.subagents.reset();
  await facets.limits.onConversationChanged();
  if (origin === 'new') models.recordInitialChoice();
  else await models.restore(restored);
  await models.reportAssumptions();
  if (origin === 'resumed') digestWriter.scheduleWrite();
}

/** The session begins with a conversation from disk. */
export async function restoreResumed(facets: SessionFacets): Promise<void> {
  const { resumed, isModelExplicit } = facets.state.options;
  if (!resumed) return;
  facets.digestWriter.scheduleWrite();
  const restored = restoreState(resumed.lazyPath ?? resumed.path);
  restoreQueues(facets, restored);
  facets.rules.reset();
  if (!isModelExplicit) await facets.models.restore(restored);
}

function restoreQueues({ queues, shell }: SessionFacets, { queued, held }: RestoredState): void {
  queues.reset(queued);
  shell.reset(held);
}
