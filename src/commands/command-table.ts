// The command table of the server. Commands that most hosts call are loaded at startup; the others with their first call.
import { unknown } from 'valibot';
import { type Command, type Lane, validate } from '../contracts/index.ts';
import * as eagerCommands from './eager-commands.ts';
import { LAZY_MODULES, type LazyCommand } from './lazy-commands.ts';

/** By wire name. A Map, so that a name such as `constructor` does not find a property of Object.prototype. */
export const commandTable: ReadonlyMap<string, Command> = new Map(
  [
    ...(Object.values(eagerCommands) as readonly unknown[] as readonly Command[]),
    ...LAZY_MODULES.flatMap(({ load, commands }) => commands.map((command) => createLazyCommand(load, command))),
  ].map((command) => [command.name, command]),
);

function createLazyCommand(load: () => Promise<object>, declaration: LazyCommand): Command {
  const [name = '', lane, ...flags] = declaration.split(' ');
  return {
    ...{ name, doc: '', lane: lane as Lane, long: flags.includes('long'), params: unknown() },
    ...(flags.includes('read') && { access: 'read' }),
    async run(params, call) {
      const command = Object.values(await load()).find((exported: Command) => exported.name === name) as Command;
      return command.run(validate(command.params, params), call);
    },
  };
}
