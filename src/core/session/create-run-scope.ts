// Connects the agent loop of one run with the facets of the session.
import { dirname } from 'node:path';
import type { Ports, SessionGuard, SubagentRunner } from '../../contracts/index.ts';
import type { RunScope } from '../agent/run-scope.ts';
import type { ActiveRun } from './active-run.ts';
import type { CompactionFacet } from './compaction-facet.ts';
import { planNextStep } from './next-step.ts';
import type { QueueFacet } from './queue-facet.ts';
import type { RequestBuilder } from './request-builder.ts';
import type { RetryFacet } from './retry-facet.ts';
import type { RuleFacet } from './rule-facet.ts';
import type { SessionLimits } from './session-limits.ts';
import type { SessionState } from './session-state.ts';
import { createStartRecorder } from './start-recorder.ts';
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
  const starts = conversation.log.canBeTakenOver ? createStartRecorder(conversation, limits) : undefined;
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
    record: (message, providerFailure) =>
      conversation.record([
        ...limits.takeSpendingEntries(message),
        { type: 'message', message, ...starts?.describeAnswer(message) },
        ...(starts && !run.controller.signal.aborted ? planNextStep(dependencies, message, providerFailure) : []),
      ]),
    recordToolStart: starts?.record,
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
    limits: {
      countToolCall: () => limits.countToolCall(),
      countTurn: (answer, needsAnotherTurn) => limits.countTurn(answer, needsAnotherTurn),
      get haltReason() {
        return conversation.lossReason ?? starts?.haltReason ?? limits.haltReason;
      },
    },
    ...((await rules.loadRules()) ? { rules } : {}),
  };
}

function createToolContext({ state, todos, subagents, tools }: RunScopeDependencies): RunScope['toolContext'] {
  const { options, artifacts, sidecarFiles } = state;
  const { cwd, guard } = options;
  const ports = guard ? guardPorts(state, guard) : state.ports;
  return {
    ...{ cwd, ports, agentPorts: state.ports, artifacts, options: options.toolOptions },
    ...{ todos, sidecarFiles, subagents },
    get isEnforcingPaths() {
      return guard?.isEnforcing;
    },
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

function guardPorts(state: SessionState, guard: SessionGuard): Ports {
  let resources: Promise<string[]> | undefined;
  const listReadRoots = async () => {
    resources ??= listResourceRoots(state);
    const artifacts = await state.artifacts.findDirectory();
    return [...(artifacts === undefined ? [] : [artifacts]), ...(await resources)];
  };
  const files = guard.guardFiles(state.options.cwd, { listReadRoots });
  // Not a spread: that would read the environment of tools, which takes time, before a tool needs it.
  return Object.create(state.ports, { files: { value: files } });
}

/** What the agent itself names to the model, besides artifacts and results of subagents: skills and templates. */
async function listResourceRoots({ options }: SessionState): Promise<string[]> {
  const { resourceLocator, resources } = options;
  const directories = await Promise.all([
    resourceLocator?.listDirectories('skills') ?? [],
    resourceLocator?.listDirectories('prompts') ?? [],
  ]);
  const skills = (await resources?.listSkills()) ?? [];
  return [...directories.flat().map(({ path }) => path), ...skills.map(({ filePath }) => dirname(filePath))];
}
