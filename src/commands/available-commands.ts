// The slash commands in the format of omp.
import { array, object, optional, picklist, string } from 'valibot';
import { command } from '../contracts/index.ts';

/** omp calls prompt templates `file`. */
const SOURCES = { extension: 'extension', prompt: 'file', skill: 'skill' } as const;

export const getAvailableCommands = command({
  name: 'get_available_commands',
  stability: 'experimental',
  doc: 'The same list as get_commands in the format of omp: name, description and source.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({
    commands: array(
      object({
        name: string(),
        description: optional(string()),
        source: picklist(['extension', 'file', 'skill']),
      }),
    ),
  }),
  async run(_, { session }) {
    const slashCommands = await session.listSlashCommands();
    const commands = slashCommands.map(({ name, description, source }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      source: SOURCES[source],
    }));
    return { commands };
  },
});
