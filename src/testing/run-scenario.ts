// Runs a transcript against the whole agent, from the protocol to the files. Transcripts are the specification.
import { getErrorMessage } from '../base/index.ts';
import { createScenarioRunner, type ScenarioOptions } from './scenario-runner.ts';
import { parseSteps } from './step.ts';

/**
 * Runs one transcript and throws at the first line that fails. Keywords:
 * - `>` send a line; `>>` send the characters of a JSON string unchanged
 * - `<` the next frame; `<~` skip frames until one matches; `<!` no frame so far matches
 * - `model` the next answer of the model; `tool` a scripted tool; `release` continue a model or tool that waits
 * - `run` run a shell command in the project directory
 * - `file` write a project file; `given` the same before the agent starts; `read` the content of a file
 * - `disk` a line of the session log; `asked` the last request to the model
 * - `option` options of the agent; `cast` an available model; `scope` the models for cycling
 * - `clock` advance the time
 * - `extension NAME <<END` the source of an extension, up to a line with END
 * - `settle` wait until the agent is idle; `quiet` the same, and no frame is unread
 * - `gone` wait until the agent exits by itself; `eof` close the input and wait until the agent exits
 * - `#` a comment
 */
export async function runScenario(text: string, options: ScenarioOptions): Promise<void> {
  const steps = parseSteps(text);
  const runner = await createScenarioRunner(steps, options);
  try {
    for (const step of steps) {
      try {
        await runner.runStep(step);
      } catch (thrown) {
        throw new Error(`line ${step.lineNumber}: ${step.keyword} ${step.argument}\n  ${getErrorMessage(thrown)}`, {
          cause: thrown,
        });
      }
    }
  } finally {
    await runner.close();
  }
}
