// Connects the agent loop of one run with the facets of the session.
import type { Ports, SubagentRunner } from '../../contracts/index.ts';
import type { RunScope } from '../agent/run-scope.ts';
import type { ActiveRun } from './active-run.ts';
import type { CompactionFacet } from './compaction-facet.ts';
import type { QueueFacet } from './queue-facet.ts';
import type { RequestBuilder } from './request-builder.ts';
import type { RetryFacet } from './retry-facet.ts';
import type { RuleFacet } from './rule-facet.ts';
import type { SessionLimits } from './session-limits.ts';
import type { SessionState } from './session-state.ts';
import type { TodoFacet } from './todo-facet.ts';
import type { ToolFacet } from './tool-facet.ts';

export interface RunScopeDependencies {
  state: SessionState;
  queues: QueueFacet;
  tools: ToolFacet;
  requestBuilder: RequestBuilder;
  retry: RetryFacet;
  compaction: CompactionFacet;
  limits: SessionLimits;
  rules: RuleFacet;
  todos: TodoFacet;
  subagents: SubagentRunner | undefined;
}

/** `run.systemPrompt` is read at every request, because it is set after the scope is created. */
export async function createRunScope(
  dependencies: RunScopeDependencies,
  run: Pick<ActiveRun, 'controller' | 'systemPrompt'>,
): Promise<RunScope> {
  const { state, queues, requestBuilder, retry, compaction, limits, tools, rules } = dependencies;
  const { conversation, ports } = state;
  return {
    signal: run.controller.signal,
    clock: ports.clock,
    emit: state.broadcast.emit,
    hooks: state.hooks,
    onAnswer(message, failure) {
      requestBuilder.onAnswer(message);
      compaction.onAnswer(message, failure);
      return retry.onAnswer(message, failure);
    },
    record: (message) => conversation.record([...limits.takeSpendingEntries(message), { type: 'message', message }]),
    requestAnswer: (signal) =>
      requestBuilder.requestAnswer(signal, { systemPrompt: run.systemPrompt, idle: () => retry.getIdleTime() }),
    createEmptyAnswer: () => requestBuilder.createEmptyAnswer(),
    tools: new Map((await tools.listActive()).map((tool) => [tool.name, tool])),
    findNewTool: (name) => tools.find(name),
    toolContext: createToolContext(dependencies),
    get pendingSaves() {
      return queues.pendingSaves;
    },
    takeSteering: () => queues.take('steer'),
    takeFollowUps: () => queues.take('followUp'),
    get hasSteering() {
      return queues.hasSteering;
    },
    get interruptMode() {
      return queues.interruptMode;
    },
    limits,
    ...((await rules.loadRules()) ? { rules } : {}),
  };
}

function createToolContext({ state, todos, subagents, tools }: RunScopeDependencies): RunScope['toolContext'] {
  const { options, artifacts, sidecarFiles } = state;
  const { cwd, guard } = options;
  // Not a spread: that would read the environment of tools, which takes time, before a tool needs it.
  const ports: Ports = guard ? Object.create(state.ports, { files: { value: guard.guardFiles(cwd) } }) : state.ports;
  return {
    ...{ cwd, ports, artifacts, options: options.toolOptions, todos, sidecarFiles, subagents },
    getSandbox: async () => guard?.getSandbox(cwd),
    // Read at every call: the host can register schemes during a run.
    get hostUris() {
      return options.mcp ? options.mcp.addUris(tools.hostUris) : tools.hostUris;
    },
    get hostServices() {
      return tools.hostServices;
    },
  };
}
