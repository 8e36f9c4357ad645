// The hall, testing: plays a transcript against the whole agent, from the wire to the disk. Transcripts are the spec.
import { messageOf } from '../base/index.ts';
import { type ScenarioOptions, setStage } from './scenario-stage.ts';
import { parseSteps } from './step.ts';

/**
 * Plays one transcript and throws at the first line that does not hold. The words:
 * `>` send a line · `>>` send a JSON string's characters as they are · `<` the next frame · `<~` skip frames until one
 * fits · `<!` no frame so far fits · `model` the next answer · `tool` a tool that the script controls · `release` what a
 * model or tool waits for · `run` a shell command in the project's directory, before anything else happens · `file` write a file of the project · `given` the same, before the agent starts · `read` what a file holds · `disk` some line of the
 * session log · `asked` the newest request to the model · `option` how the agent is started · `cast` a model
 * there is · `scope` those that are cycled through · `clock` time passes ·
 * `extension NAME <<END` the code of an extension, up to a line with END ·
 * `settle` wait until nothing is under way · `quiet` the same, and nothing was left unread · `gone` the agent leaves by itself · `eof` the host has no more
 * to say, and the agent leaves · `#` a comment.
 */
export async function playScenario(text: string, options: ScenarioOptions): Promise<void> {
  const steps = parseSteps(text);
  const stage = await setStage(steps, options);
  try {
    for (const step of steps) {
      try {
        await stage.play(step);
      } catch (thrown) {
        throw new Error(`line ${step.number}: ${step.word} ${step.rest}\n  ${messageOf(thrown)}`, { cause: thrown });
      }
    }
  } finally {
    await stage.close();
  }
}
