// First floor, core: what subagents are doing right now, for whoever watches. Told at a bounded rate, however many they are.
import type { Cancel, Clock } from '../../contracts/index.ts';
import { type AgentEvent, type SubagentProgress, textOf, totalTokens } from '../../protocol/index.ts';
import type { PlannedTask } from './admission.ts';

const UPDATE_EVERY_MS = 150;
const RECENT_TOOLS = 5;
const RECENT_LINES = 8;
const LONGEST_LINE = 200;

export interface ProgressBoard {
  readonly rows: readonly SubagentProgress[];
  begin(index: number): void;
  watch(index: number, event: AgentEvent): void;
  end(index: number, status: 'completed' | 'failed' | 'aborted'): void;
  /** Nothing is told any more. */
  close(): void;
}

export function createProgressBoard(
  tasks: readonly PlannedTask[],
  agent: string,
  clock: Clock,
  tell: (rows: readonly SubagentProgress[]) => void,
): ProgressBoard {
  const began = new Map<number, number>();
  const rows: SubagentProgress[] = tasks.map(({ index, id }) => ({
    index,
    id,
    agent,
    status: 'pending',
    recentTools: [],
    recentOutput: [],
    toolCount: 0,
    tokens: 0,
    durationMs: 0,
  }));
  let cancel: Cancel | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  let isOver = false;
  const copy = () => rows.map((row) => ({ ...row, recentTools: [...row.recentTools], durationMs: timeOf(row) }));
  const timeOf = (row: SubagentProgress) =>
    row.status === 'running' ? clock.now() - (began.get(row.index) ?? clock.now()) : row.durationMs;
  const say = () => {
    cancel = undefined;
    lastMs = clock.now();
    if (!isOver) tell(copy());
  };
  const changed = () => {
    if (isOver || cancel) return;
    const wait = lastMs + UPDATE_EVERY_MS - clock.now();
    if (wait <= 0) say();
    else cancel = clock.after(wait, say);
  };
  return {
    rows,
    begin(index) {
      began.set(index, clock.now());
      (rows[index] as SubagentProgress).status = 'running';
      changed();
    },
    watch(index, event) {
      if (apply(rows[index] as SubagentProgress, event, clock.now())) changed();
    },
    end(index, status) {
      const row = rows[index] as SubagentProgress;
      Object.assign(row, { durationMs: timeOf(row), status });
      delete row.currentTool;
      changed();
    },
    close() {
      isOver = true;
      cancel?.();
    },
  };
}

/** Whether there is something new to see. Growing answers are not: there would be thousands. */
function apply(row: SubagentProgress, event: AgentEvent, now: number): boolean {
  if (event.type === 'tool_execution_start') {
    row.currentTool = event.toolName;
    row.toolCount += 1;
    row.recentTools = [...row.recentTools, { tool: event.toolName, args: brief(event.args), endMs: now }].slice(
      -RECENT_TOOLS,
    );
    return true;
  }
  if (event.type === 'tool_execution_end') {
    delete row.currentTool;
    return true;
  }
  if (event.type !== 'message_end' || event.message.role !== 'assistant') return false;
  row.tokens += totalTokens(event.message.usage);
  const lines = textOf(event.message.content)
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (lines.length > 0) row.recentOutput = lines.slice(-RECENT_LINES).map((line) => line.slice(0, LONGEST_LINE));
  return true;
}

function brief(args: Record<string, unknown>): string {
  const text = Object.values(args)
    .filter((value) => typeof value === 'string')
    .join(' ');
  return text.slice(0, LONGEST_LINE);
}
