// All commands, collected from the files that declare them. A new file needs one line in `lazyModules` or in eager-commands.ts.
import type { Command } from '../contracts/index.ts';
import * as artifacts from './artifacts.ts';
import * as availableCommands from './available-commands.ts';
import * as connection from './connection.ts';
import * as contextBreakdown from './context-breakdown.ts';
import * as continueRun from './continue.ts';
import * as eagerCommands from './eager-commands.ts';
import * as fastMode from './fast-mode.ts';
import * as handoff from './handoff.ts';
import * as history from './history.ts';
import * as host from './host.ts';
import * as knownModels from './known-models.ts';
import * as login from './login.ts';
import * as mcp from './mcp.ts';
import * as messagesPage from './messages-page.ts';
import * as permissionMode from './permission-mode.ts';
import * as queue from './queue.ts';
import * as queuedMessages from './queued-messages.ts';
import * as retry from './retry.ts';
import * as settings from './settings.ts';
import * as storedSessions from './stored-sessions.ts';
import * as subagents from './subagents.ts';
import * as submissions from './submissions.ts';
import * as thinkingLevels from './thinking-levels.ts';
import * as todos from './todos.ts';

/** Files that are loaded with the first call of one of their commands. `npm run docs` writes lazy-commands.ts from this list. */
export const lazyModules = {
  './artifacts.ts': artifacts,
  './available-commands.ts': availableCommands,
  './connection.ts': connection,
  './continue.ts': continueRun,
  './fast-mode.ts': fastMode,
  './handoff.ts': handoff,
  './context-breakdown.ts': contextBreakdown,
  './history.ts': history,
  './host.ts': host,
  './known-models.ts': knownModels,
  './login.ts': login,
  './mcp.ts': mcp,
  './messages-page.ts': messagesPage,
  './permission-mode.ts': permissionMode,
  './queue.ts': queue,
  './queued-messages.ts': queuedMessages,
  './retry.ts': retry,
  './settings.ts': settings,
  './stored-sessions.ts': storedSessions,
  './subagents.ts': subagents,
  './submissions.ts': submissions,
  './thinking-levels.ts': thinkingLevels,
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
