// The commands of dialects with many sessions. Loaded only for such a dialect.
import type { Command } from '../../contracts/index.ts';
import * as auth from './auth.ts';
import { getConfig, setConfig } from './config.ts';
import * as runs from './runs.ts';
import * as sessions from './sessions.ts';
import * as settings from './settings.ts';
import * as trackedTasks from './tracked-tasks.ts';

export const multiSessionCommands = [
  ...Object.values(sessions),
  ...Object.values(runs),
  ...Object.values(settings),
  ...Object.values(auth),
  ...Object.values(trackedTasks),
  getConfig,
  setConfig,
] as readonly unknown[] as readonly Command[];

export function addMultiSessionCommands(commands: ReadonlyMap<string, Command>): ReadonlyMap<string, Command> {
  return new Map([...commands, ...multiSessionCommands.map((command) => [command.name, command] as const)]);
}
