// Tracks the progress of the subagents of one task call. Publishes at most one update per 150 ms, however many subagents run.
import type { Cancel, Clock } from '../../contracts/index.ts';
import { type AgentEvent, extractText, type SubagentProgress, sumTokens } from '../../protocol/index.ts';
import type { PlannedTask } from './validate-tasks.ts';

const UPDATE_EVERY_MS = 150;
const MAX_RECENT_TOOLS = 5;
const MAX_RECENT_LINES = 8;
const MAX_LINE_LENGTH = 200;

export interface ProgressTracker {
  readonly rows: readonly SubagentProgress[];
  start(index: number): void;
  update(index: number, event: AgentEvent): void;
  finish(index: number, status: 'completed' | 'failed' | 'aborted'): void;
  /** Stops all updates. */
  close(): void;
}

export function createProgressTracker(
  tasks: readonly PlannedTask[],
  agent: string,
  clock: Clock,
  onUpdate: (rows: readonly SubagentProgress[]) => void,
): ProgressTracker {
  const startTimes = new Map<number, number>();
  const rows = tasks.map((task) => createRow(task, agent));
  const getDuration = (row: SubagentProgress) =>
    row.status === 'running' ? clock.now() - (startTimes.get(row.index) ?? clock.now()) : row.durationMs;
  const copy = () => rows.map((row) => ({ ...row, recentTools: [...row.recentTools], durationMs: getDuration(row) }));
  const throttle = new UpdateThrottle(clock, () => onUpdate(copy()));
  return {
    rows,
    start(index) {
      startTimes.set(index, clock.now());
      (rows[index] as SubagentProgress).status = 'running';
      throttle.schedule();
    },
    update(index, event) {
      if (updateRow(rows[index] as SubagentProgress, event, clock.now())) throttle.schedule();
    },
    finish(index, status) {
      const row = rows[index] as SubagentProgress;
      Object.assign(row, { durationMs: getDuration(row), status });
      delete row.currentTool;
      throttle.schedule();
    },
    close: () => throttle.close(),
  };
}

function createRow({ index, id }: PlannedTask, agent: string): SubagentProgress {
  return {
    index,
    id,
    agent,
    status: 'pending',
    recentTools: [],
    recentOutput: [],
    toolCount: 0,
    tokens: 0,
    durationMs: 0,
  };
}

/** Publishes at once, or when the interval since the last update has passed. */
class UpdateThrottle {
  readonly #clock: Clock;
  readonly #publish: () => void;
  #cancel: Cancel | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(clock: Clock, publish: () => void) {
    this.#clock = clock;
    this.#publish = publish;
  }

  schedule(): void {
    if (this.#isClosed || this.#cancel) return;
    const wait = this.#lastMs + UPDATE_EVERY_MS - this.#clock.now();
    if (wait <= 0) this.#publishNow();
    else this.#cancel = this.#clock.after(wait, () => this.#publishNow());
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #publishNow(): void {
    this.#cancel = undefined;
    this.#lastMs = this.#clock.now();
    if (!this.#isClosed) this.#publish();
  }
}

/** Whether the row changed. Message deltas do not count: there would be thousands of updates. */
function updateRow(row: SubagentProgress, event: AgentEvent, now: number): boolean {
  if (event.type === 'tool_execution_start') {
    row.currentTool = event.toolName;
    row.toolCount += 1;
    row.recentTools = [...row.recentTools, { tool: event.toolName, args: summarizeArgs(event.args), endMs: now }].slice(
      -MAX_RECENT_TOOLS,
    );
    return true;
  }
  if (event.type === 'tool_execution_end') {
    delete row.currentTool;
    return true;
  }
  if (event.type !== 'message_end' || event.message.role !== 'assistant') return false;
  row.tokens += sumTokens(event.message.usage);
  const lines = extractText(event.message.content)
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (lines.length > 0) row.recentOutput = lines.slice(-MAX_RECENT_LINES).map((line) => line.slice(0, MAX_LINE_LENGTH));
  return true;
}

function summarizeArgs(args: Record<string, unknown>): string {
  const text = Object.values(args)
    .filter((value) => typeof value === 'string')
    .join(' ');
  return text.slice(0, MAX_LINE_LENGTH);
}
