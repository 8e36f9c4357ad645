// The slash commands in the format of omp.
import { array, object } from 'valibot';
import { command } from '../contracts/index.ts';
import { slashCommandEntry, toSlashCommandEntry } from '../protocol/index.ts';

export const getAvailableCommands = command({
  name: 'get_available_commands',
  stability: 'experimental',
  doc: 'The same list as get_commands in the format of omp: name, description and source. Changes are sent as `available_commands_update`.',
  lane: 'now',
  access: 'read',
  long: true,
  params: object({}),
  result: object({ commands: array(slashCommandEntry) }),
  run: async (_, { session }) => ({ commands: (await session.listSlashCommands()).map(toSlashCommandEntry) }),
});
