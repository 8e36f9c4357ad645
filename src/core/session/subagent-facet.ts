// Connects a session to the code that runs its subagents.
import type {
  Emit,
  SubagentMonitor,
  SubagentRunner,
  Tool,
  Transcript,
  TranscriptRequest,
} from '../../contracts/index.ts';
import type { Model, SubagentSnapshot, ThinkingLevel } from '../../protocol/index.ts';
import type { ModelFacet } from './model-facet.ts';
import type { BudgetAccount, ParentLink, SubagentHost, SubagentRegistry } from './parent-link.ts';
import type { SessionLimits } from './session-limits.ts';
import type { SessionState } from './session-state.ts';
import type { ToolFacet } from './tool-facet.ts';

export class SubagentFacet implements SubagentHost, SubagentMonitor {
  readonly parentLink: ParentLink | undefined;
  readonly cwd: string;
  readonly emit: Emit;
  readonly subagentRegistry: SubagentRegistry;
  /** Passed to the tools of this session. */
  readonly taskRunner: SubagentRunner | undefined;
  readonly #state: SessionState;
  readonly #models: ModelFacet;
  readonly #tools: ToolFacet;
  readonly #getLimits: () => SessionLimits;
  readonly #pendingWork = new Set<Promise<unknown>>();

  constructor(state: SessionState, models: ModelFacet, tools: ToolFacet, getLimits: () => SessionLimits) {
    const { options, broadcast } = state;
    this.#state = state;
    this.#models = models;
    this.#tools = tools;
    this.parentLink = options.parentLink;
    this.cwd = options.cwd;
    this.#getLimits = getLimits;
    this.emit = options.parentLink?.emit ?? ((event) => broadcast.emit(event));
    this.subagentRegistry = options.parentLink?.subagentRegistry ?? { running: new Map(), logFiles: new Map() };
    this.taskRunner = options.createSubagents?.(this);
  }

  get budgetAccount(): BudgetAccount | undefined {
    const { budget, parentLink } = this.#state.options;
    return budget || parentLink?.budgetAccount ? this.#getLimits() : undefined;
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

  retainArtifacts(): void {
    this.#state.artifacts.retain();
  }

  list(): readonly SubagentSnapshot[] {
    return [...this.subagentRegistry.running.values()];
  }

  async readTranscript(request: TranscriptRequest): Promise<Transcript> {
    const { readTranscript } = await import('./read-transcript.ts');
    return readTranscript(this.#state.ports.files, this.subagentRegistry.logFiles, request);
  }

  /** Called after a switch to another conversation. */
  reset(): void {
    this.subagentRegistry.running.clear();
    this.subagentRegistry.logFiles.clear();
  }

  trackWork(work: Promise<unknown>): void {
    this.#pendingWork.add(work);
    void work.catch(() => {}).then(() => this.#pendingWork.delete(work));
  }

  /** Resolves when all work of subagents has ended, including processes and worktrees. */
  async waitUntilIdle(): Promise<void> {
    await Promise.allSettled(this.#pendingWork);
  }
}
