// Connects a session to the code that runs its subagents, and controls them for the host.
import type {
  Emit,
  SubagentControl,
  SubagentStart,
  Tool,
  Transcript,
  TranscriptRequest,
} from '../../contracts/index.ts';
import type { Model, SubagentSnapshot, ThinkingLevel } from '../../protocol/index.ts';
import type { ModelFacet } from './model-facet.ts';
import {
  type BudgetAccount,
  createSubagentRegistry,
  type ParentLink,
  type SubagentHost,
  type SubagentRegistry,
  type Subagents,
} from './parent-link.ts';
import type { SessionState } from './session-state.ts';
import type { SubagentController, SubagentPorts } from './subagent-control.ts';
import type { ToolFacet } from './tool-facet.ts';

export class SubagentFacet implements SubagentHost, SubagentControl {
  readonly parentLink: ParentLink | undefined;
  readonly cwd: string;
  readonly emit: Emit;
  readonly subagentRegistry: SubagentRegistry;
  /** Passed to the tools of this session. */
  readonly taskRunner: Subagents | undefined;
  readonly #state: SessionState;
  readonly #models: ModelFacet;
  readonly #tools: ToolFacet;
  readonly #ports: SubagentPorts;
  readonly #pendingWork = new Set<Promise<unknown>>();
  /** Tasks that the host has started. */
  readonly hostTasks = new Set<AbortController>();
  isClosed = false;
  /** Of the open conversation. */
  #controller: Promise<SubagentController> | undefined;

  constructor(state: SessionState, models: ModelFacet, tools: ToolFacet, ports: SubagentPorts) {
    const { options, broadcast } = state;
    this.#state = state;
    this.#models = models;
    this.#tools = tools;
    this.#ports = ports;
    this.parentLink = options.parentLink;
    this.cwd = options.cwd;
    this.emit = options.parentLink?.emit ?? ((event) => broadcast.emit(event));
    this.subagentRegistry = options.parentLink?.subagentRegistry ?? createSubagentRegistry();
    this.taskRunner = options.createSubagents?.(this);
  }

  get budgetAccount(): BudgetAccount | undefined {
    const { budget, parentLink } = this.#state.options;
    return budget || parentLink?.budgetAccount ? this.#ports.getLimits() : undefined;
  }

  get model(): Model | null {
    return this.#models.current;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.#models.thinkingLevel;
  }

  listInheritableTools(): Promise<readonly Tool[]> {
    return this.#tools.listInheritable();
  }

  ensureArtifactDirectory(): Promise<string> {
    return this.#state.artifacts.ensureDirectory();
  }

  findArtifactDirectory(): Promise<string | undefined> {
    return this.#state.artifacts.findDirectory();
  }

  retainArtifacts(): void {
    this.#state.artifacts.retain();
  }

  list(): readonly SubagentSnapshot[] {
    return [...this.subagentRegistry.running.values()];
  }

  async readTranscript(request: TranscriptRequest): Promise<Transcript> {
    return (await this.#loadController()).readTranscript(request);
  }

  async listEnded(): Promise<readonly SubagentSnapshot[]> {
    return (await this.#loadController()).listEnded();
  }

  async start(request: SubagentStart): Promise<string> {
    return (await this.#loadController()).start(request);
  }

  async steer(subagentId: string, message: string): Promise<void> {
    return (await this.#loadController()).steer(subagentId, message);
  }

  async stop(subagentId: string, reason?: string): Promise<void> {
    return (await this.#loadController()).stop(subagentId, reason);
  }

  async resume(subagentId: string, message: string): Promise<void> {
    return (await this.#loadController()).resume(subagentId, message);
  }

  #loadController(): Promise<SubagentController> {
    this.#controller ??= import('./subagent-control.ts').then(
      ({ SubagentController }) => new SubagentController(this, this.#state, this.#tools, this.#ports),
    );
    return this.#controller;
  }

  /** Called after a switch to another conversation. */
  reset(): void {
    const { running, handles, logFiles, records } = this.subagentRegistry;
    for (const map of [running, handles, logFiles, records]) map.clear();
    this.#controller = undefined;
  }

  trackWork(work: Promise<unknown>): void {
    this.#pendingWork.add(work);
    void work.catch(() => {}).then(() => this.#pendingWork.delete(work));
  }

  /** Resolves when all work of subagents has ended, including processes and worktrees. */
  async waitUntilIdle(): Promise<void> {
    await Promise.allSettled(this.#pendingWork);
  }

  async stopStarted(): Promise<void> {
    for (const controller of this.hostTasks) controller.abort();
    await this.waitUntilIdle();
  }

  /** Starts no more work for the host. Resolves when no subagent is at work. */
  close(): Promise<void> {
    this.isClosed = true;
    return this.stopStarted();
  }
}
