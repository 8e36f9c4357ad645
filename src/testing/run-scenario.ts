// Runs a transcript against the whole agent, from the protocol to the files. Transcripts are the specification.
import { getErrorMessage } from '../base/index.ts';
import { createScenarioRunner, type ScenarioOptions } from './scenario-runner.ts';
import { parseTranscript } from './transcript.ts';

/**
 * Runs one transcript and throws at the first line that fails; the message has the file and the line. `KEYWORDS` in
 * transcript.ts lists the keywords, docs/testing.md describes the format.
 */
export async function runScenario(text: string, options: ScenarioOptions): Promise<void> {
  const steps = parseTranscript(text, options.file);
  const runner = await createScenarioRunner(steps, options);
  try {
    for (const { lineNumber, keyword, argument } of steps) {
      try {
        await runner.runStep(keyword, argument);
      } catch (thrown) {
        const where = `${options.file ?? 'transcript'}:${lineNumber}`;
        throw new Error(`${where}: ${keyword} ${argument}\n  ${getErrorMessage(thrown)}`, { cause: thrown });
      }
    }
  } finally {
    await runner.close();
  }
}
