// Tracks the running tool calls: live output while they run, one printed block when they end.
import type { AgentEventOf, SessionSnapshot } from '../../protocol/index.ts';
import type { Line } from '../text/line.ts';
import { renderCallHeader, renderPartialResult, renderResult } from './render-tool-call.ts';
import type { ToolCallView } from './tool-call-title.ts';

interface RunningCall extends ToolCallView {
  partial: AgentEventOf<'tool_execution_update'>['partialResult'] | undefined;
}

export class RunningToolCalls {
  readonly #running = new Map<string, RunningCall>();
  /** Calls whose result is not printed. */
  readonly #omitted = new Set<string>();
  /** All lines of the last result that was printed in shortened form. */
  lastFullOutput: readonly Line[] | undefined;

  start({ toolCallId, toolName, args }: AgentEventOf<'tool_execution_start'>): void {
    this.#running.set(toolCallId, { name: toolName, args, partial: undefined });
  }

  update({ toolCallId, partialResult }: AgentEventOf<'tool_execution_update'>): void {
    const call = this.#running.get(toolCallId);
    if (call) call.partial = partialResult;
  }

  end({ toolCallId, toolName, result, isError }: AgentEventOf<'tool_execution_end'>, width: number): Line[] {
    const call = this.#running.get(toolCallId) ?? { name: toolName, args: {}, partial: undefined };
    this.#running.delete(toolCallId);
    if (this.#omitted.delete(toolCallId)) return [];
    return this.renderFinished(call, result, { isError, isStreamed: call.partial !== undefined }, width);
  }

  renderFinished(
    call: ToolCallView,
    result: AgentEventOf<'tool_execution_end'>['result'],
    flags: { isError: boolean; isStreamed: boolean },
    width: number,
  ): Line[] {
    const { lines, fullLines } = renderResult(result, { ...flags, args: call.args }, width);
    const head = renderCallHeader(call, flags.isError ? 'failed' : 'done', width, result);
    if (fullLines) this.lastFullOutput = [head, ...fullLines];
    return [head, ...lines];
  }

  /** Replaces the running calls by those of a snapshot. */
  restore(calls: SessionSnapshot['runningTools']): void {
    this.#running.clear();
    for (const { toolCallId, toolName, args, partialResult } of calls)
      this.#running.set(toolCallId, { name: toolName, args, partial: partialResult as RunningCall['partial'] });
  }

  omit(toolCallId: string): void {
    this.#omitted.add(toolCallId);
  }

  renderLive(width: number): Line[] {
    const shown = [...this.#running].filter(([id]) => !this.#omitted.has(id));
    return shown.flatMap(([, call]) => [
      renderCallHeader(call, 'running', width),
      ...renderPartialResult(call.partial, width),
    ]);
  }

  /** Call when the run has ended: calls without an end event count as ended. */
  clear(): void {
    this.#running.clear();
    this.#omitted.clear();
  }
}
