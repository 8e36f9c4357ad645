// First floor, tools: asks the person at the host, and waits. How the question travels is not its business.
import { array, nonEmpty, object, optional, pipe, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { type HostUi, type Tool, tool, type UiQuestion } from '../contracts/index.ts';
import { textResult } from './result.ts';

export interface AskToolOptions {
  /** Looked for anew every time: it may have gone. */
  host(): Pick<HostUi, 'ask'> | undefined;
  /** Milliseconds; a person may take their time when absent. */
  readonly timeout?: number | undefined;
}

const params = object({ question: pipe(string(), nonEmpty()), choices: optional(array(string())) });

export function createAskTool({ host, timeout }: AskToolOptions): Tool {
  return tool({
    name: 'ask',
    effect: 'read',
    asksHost: true,
    doc: 'Ask the user, and wait for the answer. Only for what they alone can decide; give choices where there are some.',
    snippet: 'Ask the user a question',
    params,
    async run({ question: title, choices = [] }, { signal }) {
      const limit = timeout === undefined ? {} : { timeout };
      const about = { title, by: 'model' as const, ...limit };
      const question: UiQuestion =
        choices.length > 0 ? { method: 'select', options: choices, ...about } : { method: 'input', ...about };
      const answer = await host()?.ask(question, { ...limit, signal });
      if (answer && 'value' in answer) return textResult(answer.value);
      throw new Fault(
        'tool_failed',
        'User input request failed: nobody answered. Go on without an answer, or stop here.',
      );
    },
  });
}
