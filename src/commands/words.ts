// First floor, commands: what a prompt may begin with, as hosts of omp list it.
import { array, object, optional, picklist, string } from 'valibot';
import { command } from '../contracts/index.ts';

/** Templates are files of prompts there. */
const SOURCES = { extension: 'extension', prompt: 'file', skill: 'skill' } as const;

export const getAvailableCommands = command({
  name: 'get_available_commands',
  stability: 'experimental',
  doc: 'The same as get_commands, as omp has it: name, description, and where it comes from.',
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
    const listed = await session.commands();
    const commands = listed.map(({ name, description, source }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      source: SOURCES[source],
    }));
    return { commands };
  },
});
