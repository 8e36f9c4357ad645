// The commands of dialects with many sessions. Loaded only for such a dialect.
import type { Command } from '../../contracts/index.ts';
import { agentState, compactSession, ping, sessionHistory, stopRun } from './agent.ts';
import { authStatus, awaitLogin, beginLogin, saveKey } from './auth.ts';
import { getConfig, setConfig } from './config.ts';
import { chooseModel, chooseThinking, listModels } from './models.ts';
import { deleteSession, listSessions, moveTo, startSession } from './sessions.ts';
import { getSettings, saveSettings } from './settings.ts';
import { listTasks } from './tracked-tasks.ts';

export const multiSessionCommands = [
  startSession,
  listSessions,
  deleteSession,
  sessionHistory,
  moveTo,
  compactSession,
  agentState,
  stopRun,
  listModels,
  chooseModel,
  chooseThinking,
  listTasks,
  getSettings,
  saveSettings,
  authStatus,
  saveKey,
  beginLogin,
  awaitLogin,
  getConfig,
  setConfig,
  ping,
] as readonly unknown[] as readonly Command[];

export function addMultiSessionCommands(commands: ReadonlyMap<string, Command>): ReadonlyMap<string, Command> {
  return new Map([...commands, ...multiSessionCommands.map((command) => [command.name, command] as const)]);
}
