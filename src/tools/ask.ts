// The `ask` tool: asks the user a question through the host.
import { array, nonEmpty, object, optional, pipe, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { type HostUi, type Tool, tool, type UiQuestion } from '../contracts/index.ts';
import { createTextResult } from './result.ts';

export interface AskToolOptions {
  /** Called for every question, because the host may have disconnected. */
  host(): Pick<HostUi, 'ask'> | undefined;
  /** Milliseconds; no limit when absent. */
  readonly timeout?: number | undefined;
}

const params = object({ question: pipe(string(), nonEmpty()), choices: optional(array(string())) });

export function createAskTool({ host, timeout }: AskToolOptions): Tool {
  return tool({
    name: 'ask',
    effect: 'read',
    asksHost: true,
    doc: 'Ask the user a question and wait for the answer. Use it only for decisions that the user must make; offer choices if possible.',
    snippet: 'Ask the user a question',
    params,
    async run({ question: title, choices = [] }, { signal }) {
      const limit = timeout === undefined ? {} : { timeout };
      const request = { title, by: 'model' as const, ...limit };
      const question: UiQuestion =
        choices.length > 0 ? { method: 'select', options: choices, ...request } : { method: 'input', ...request };
      const answer = await host()?.ask(question, { ...limit, signal });
      if (answer && 'value' in answer) return createTextResult(answer.value);
      throw new Fault(
        'tool_failed',
        'User input request failed: no answer was received. Continue without an answer, or stop here.',
      );
    },
  });
}
