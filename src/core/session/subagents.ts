// First floor, core: lends a session's surroundings to whoever starts subagents for it. Starts none itself.
import type { Subagents, SubagentWatch, Tool, Transcript, TranscriptRequest } from '../../contracts/index.ts';
import type { Model, SubagentSnapshot, ThinkingLevel } from '../../protocol/index.ts';
import type { Emit } from './broadcast.ts';
import type { Children, Family, Purse, SubagentHost } from './family.ts';
import type { Limits } from './limits.ts';
import type { ModelFacet } from './models.ts';
import type { Seat } from './seat.ts';
import type { ToolFacet } from './tool-choice.ts';

export class SubagentFacet implements SubagentHost, SubagentWatch {
  readonly family: Family | undefined;
  readonly cwd: string;
  readonly emit: Emit;
  readonly children: Children;
  /** What the tools of this session are given. */
  readonly door: Subagents | undefined;
  readonly #seat: Seat;
  readonly #models: ModelFacet;
  readonly #tools: ToolFacet;
  readonly #working = new Set<Promise<unknown>>();

  readonly #limits: () => Limits;

  constructor(seat: Seat, models: ModelFacet, tools: ToolFacet, limits: () => Limits) {
    const { options, broadcast } = seat;
    this.#seat = seat;
    this.#models = models;
    this.#tools = tools;
    this.family = options.family;
    this.cwd = options.cwd;
    this.#limits = limits;
    this.emit = options.family?.emit ?? ((event) => broadcast.emit(event));
    this.children = options.family?.children ?? { live: new Map(), files: new Map() };
    this.door = options.subagents?.(this);
  }

  get purse(): Purse | undefined {
    const { budget, family } = this.#seat.options;
    return budget || family?.purse ? this.#limits() : undefined;
  }

  get model(): Model | null {
    return this.#models.current;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.#models.thinkingLevel;
  }

  tools(): Promise<readonly Tool[]> {
    return this.#tools.inheritable();
  }

  folder(): Promise<string> {
    return this.#seat.artifacts.folder();
  }

  keepFolder(): void {
    this.#seat.artifacts.keep();
  }

  list(): readonly SubagentSnapshot[] {
    return [...this.children.live.values()];
  }

  async transcript(request: TranscriptRequest): Promise<Transcript> {
    const { readTranscript } = await import('../subagent/transcript.ts');
    return readTranscript(this.#seat.ports.files, this.children.files, request);
  }

  /** Another conversation has other subagents. */
  reset(): void {
    this.children.live.clear();
    this.children.files.clear();
  }

  track(work: Promise<unknown>): void {
    this.#working.add(work);
    void work.catch(() => {}).then(() => this.#working.delete(work));
  }

  /** Resolves when nothing of them is left: no process, no worktree. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#working);
  }
}
