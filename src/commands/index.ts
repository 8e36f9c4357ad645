// Table of contents: everything a host may ask. Adding a command is one export in one file, and one name here.
import type { Command } from '../contracts/index.ts';
import { compact, setAutoCompaction } from './compaction.ts';
import {
  branch,
  clone,
  exportHtml,
  getBranchMessages,
  getEntries,
  getLastAssistantText,
  getMessages,
  getTree,
  switchSession,
} from './history.ts';
import { setEventFilter, setHostTools } from './host.ts';
import { getLoginProviders, login } from './logins.ts';
import {
  cycleModel,
  cycleThinkingLevel,
  getAvailableModels,
  getAvailableThinkingLevels,
  setModel,
  setThinkingLevel,
} from './models.ts';
import { getMessagesPage } from './pages.ts';
import { abort, abortAndPrompt, followUp, prompt, steer } from './prompting.ts';
import { clearQueue, setFollowUpMode, setInterruptMode, setSteeringMode } from './queue.ts';
import { abortRetry, setAutoRetry } from './retry.ts';
import { getCommands, getSessionStats, getState, newSession, setSessionName } from './session.ts';
import { abortBash, bash } from './shell.ts';
import { getSubagentMessages, getSubagents, setSubagentSubscription } from './subagents.ts';
import { setTodos } from './todos.ts';
import { getAvailableCommands } from './words.ts';

export const commands = [
  prompt,
  steer,
  followUp,
  abort,
  abortAndPrompt,
  newSession,
  getState,
  getCommands,
  getMessages,
  getLastAssistantText,
  switchSession,
  branch,
  clone,
  getBranchMessages,
  getEntries,
  getTree,
  exportHtml,
  setModel,
  cycleModel,
  getAvailableModels,
  setThinkingLevel,
  cycleThinkingLevel,
  getAvailableThinkingLevels,
  setSteeringMode,
  setFollowUpMode,
  setInterruptMode,
  clearQueue,
  compact,
  setAutoCompaction,
  setAutoRetry,
  abortRetry,
  bash,
  abortBash,
  getSessionStats,
  setSessionName,
  setHostTools,
  setEventFilter,
  setSubagentSubscription,
  getSubagents,
  getSubagentMessages,
  getMessagesPage,
  getAvailableCommands,
  setTodos,
  getLoginProviders,
  login,
] as const;

/** By wire name. A Map, so that no name reaches into an object's prototype. */
export const commandsByName: ReadonlyMap<string, Command> = new Map(
  (commands as readonly unknown[] as readonly Command[]).map((command) => [command.name, command]),
);
