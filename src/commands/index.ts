// All commands, collected from the files that declare them. A new file needs one line in `lazyModules` or in eager-commands.ts.
import type { Command } from '../contracts/index.ts';
import * as availableCommands from './available-commands.ts';
import * as connection from './connection.ts';
import * as contextBreakdown from './context-breakdown.ts';
import * as eagerCommands from './eager-commands.ts';
import * as fastMode from './fast-mode.ts';
import * as handoff from './handoff.ts';
import * as history from './history.ts';
import * as host from './host.ts';
import * as login from './login.ts';
import * as mcp from './mcp.ts';
import * as messagesPage from './messages-page.ts';
import * as permissionMode from './permission-mode.ts';
import * as subagents from './subagents.ts';
import * as todos from './todos.ts';

/** Files that are loaded with the first call of one of their commands. `npm run docs` writes lazy-commands.ts from this list. */
export const lazyModules = {
  './available-commands.ts': availableCommands,
  './connection.ts': connection,
  './fast-mode.ts': fastMode,
  './handoff.ts': handoff,
  './context-breakdown.ts': contextBreakdown,
  './history.ts': history,
  './host.ts': host,
  './login.ts': login,
  './mcp.ts': mcp,
  './messages-page.ts': messagesPage,
  './permission-mode.ts': permissionMode,
  './subagents.ts': subagents,
  './todos.ts': todos,
} as const;

type CommandModule = typeof eagerCommands | (typeof lazyModules)[keyof typeof lazyModules];
/** One member for each module of the union. */
type ExportsOf<M> = M extends unknown ? M[keyof M] : never;

/** Sorted by name. */
export const commands = ([eagerCommands, ...Object.values(lazyModules)] as readonly CommandModule[])
  .flatMap((module): readonly ExportsOf<CommandModule>[] => Object.values(module))
  .toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** By wire name. A Map, so that a name such as `constructor` does not find a property of Object.prototype. */
export const commandsByName: ReadonlyMap<string, Command> = new Map(
  (commands as readonly unknown[] as readonly Command[]).map((command) => [command.name, command]),
);
