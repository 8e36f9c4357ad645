// First floor, commands: the table that a server reads. What every host calls is in it; the rest is loaded with its first call.
import { unknown } from 'valibot';
import { type Command, check, type Lane } from '../contracts/index.ts';
import { compact, setAutoCompaction } from './compaction.ts';
import {
  cycleModel,
  cycleThinkingLevel,
  getAvailableModels,
  getAvailableThinkingLevels,
  setModel,
  setThinkingLevel,
} from './models.ts';
import { abort, abortAndPrompt, followUp, prompt, steer } from './prompting.ts';
import { clearQueue, setFollowUpMode, setInterruptMode, setSteeringMode } from './queue.ts';
import { abortRetry, setAutoRetry } from './retry.ts';
import { getCommands, getSessionStats, getState, newSession, setSessionName } from './session.ts';
import { abortBash, bash } from './shell.ts';

const atOnce = [
  ...[prompt, steer, followUp, abort, abortAndPrompt, newSession, getState, getCommands],
  ...[setModel, cycleModel, getAvailableModels, setThinkingLevel, cycleThinkingLevel, getAvailableThinkingLevels],
  ...[setSteeringMode, setFollowUpMode, setInterruptMode, clearQueue, compact, setAutoCompaction],
  ...[setAutoRetry, abortRetry, bash, abortBash, getSessionStats, setSessionName],
] as readonly unknown[] as readonly Command[];

/** All that must be known of a command when a call comes in. A test holds it against the declarations. */
type Road = Lane | `${Lane}, long`;

const onDemand = [
  ...later(() => import('./history.ts'), {
    get_messages: 'now',
    get_last_assistant_text: 'now',
    switch_session: 'ordered, long',
    branch: 'ordered, long',
    clone: 'ordered, long',
    get_branch_messages: 'ordered',
    get_entries: 'ordered',
    get_tree: 'ordered',
    export_html: 'ordered, long',
  }),
  ...later(() => import('./host.ts'), { set_host_tools: 'ordered', set_event_filter: 'ordered' }),
  ...later(() => import('./subagents.ts'), {
    set_subagent_subscription: 'ordered',
    get_subagents: 'now',
    get_subagent_messages: 'now, long',
  }),
  ...later(() => import('./pages.ts'), { get_messages_page: 'now' }),
  ...later(() => import('./words.ts'), { get_available_commands: 'now, long' }),
  ...later(() => import('./todos.ts'), { set_todos: 'ordered' }),
  ...later(() => import('./logins.ts'), { get_login_providers: 'now, long', login: 'now, long' }),
];

/** By wire name. A Map, so that no name reaches into an object's prototype. */
export const commandTable: ReadonlyMap<string, Command> = new Map(
  [...atOnce, ...onDemand].map((command) => [command.name, command]),
);

function later(load: () => Promise<object>, roads: Readonly<Record<string, Road>>): Command[] {
  return Object.entries(roads).map(([name, road]) => ({
    name,
    doc: '',
    lane: road.split(',')[0] as Lane,
    long: road.endsWith('long'),
    params: unknown(),
    async run(params, call) {
      const found = Object.values(await load()).find((declared: Command) => declared.name === name) as Command;
      return found.run(check(found.params, params), call);
    },
  }));
}
