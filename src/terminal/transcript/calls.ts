// The hall, terminal: the tool calls that are under way. Shown live while they work, printed once when they are done.
import type { AgentEventOf } from '../../protocol/index.ts';
import type { Line } from '../text/line.ts';
import { headLine, liveLines, resultLines, type ToolCallView } from './tool-view.ts';

interface Call extends ToolCallView {
  partial: AgentEventOf<'tool_execution_update'>['partialResult'] | undefined;
}

export class Calls {
  readonly #open = new Map<string, Call>();
  /** The last result of which lines were left out. */
  whole: readonly Line[] | undefined;

  start({ toolCallId, toolName, args }: AgentEventOf<'tool_execution_start'>): void {
    this.#open.set(toolCallId, { name: toolName, args, partial: undefined });
  }

  update({ toolCallId, partialResult }: AgentEventOf<'tool_execution_update'>): void {
    const call = this.#open.get(toolCallId);
    if (call) call.partial = partialResult;
  }

  end({ toolCallId, toolName, result, isError }: AgentEventOf<'tool_execution_end'>, width: number): Line[] {
    const call = this.#open.get(toolCallId) ?? { name: toolName, args: {}, partial: undefined };
    this.#open.delete(toolCallId);
    return this.shown(call, result, { failed: isError, streamed: call.partial !== undefined }, width);
  }

  shown(
    call: ToolCallView,
    result: AgentEventOf<'tool_execution_end'>['result'],
    facts: { failed: boolean; streamed: boolean },
    width: number,
  ): Line[] {
    const { lines, whole } = resultLines(result, facts, width);
    const head = headLine(call, facts.failed ? 'failed' : 'done', width);
    if (whole) this.whole = [head, ...whole];
    return [head, ...lines];
  }

  live(width: number): Line[] {
    return [...this.#open.values()].flatMap((call) => [
      headLine(call, 'running', width),
      ...liveLines(call.partial, width),
    ]);
  }

  /** The run is over: whatever was not heard to end has ended. */
  clear(): void {
    this.#open.clear();
  }
}
