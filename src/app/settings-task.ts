// The hall: the settings of subagents: what they may spend, where they work, how their work is checked. Reads no file.
import { array, boolean, looseObject, maxValue, optional, picklist, pipe, record, string } from 'valibot';
import { atLeast, restricting, setting, unset, whole } from './settings-word.ts';

const profile = looseObject({
  mode: optional(string()),
  commands: optional(
    array(
      looseObject({
        name: string(),
        command: string(),
        timeoutMs: optional(whole(1)),
        optional: optional(boolean()),
      }),
    ),
  ),
  onFailure: optional(picklist(['return_failure', 'retry_once', 'discard_patch'])),
  maxRetries: optional(whole(0)),
});

export const TASK_SETTINGS = {
  'task.maxConcurrency': setting(whole(0), 32, 'How many subagents of one call work at the same time; 0: all.'),
  'task.maxRecursionDepth': restricting(
    setting(whole(0), 2, 'How deep subagents may start subagents of their own; 0: not at all.'),
  ),
  'task.disabledAgents': restricting(setting(array(string()), [], 'Agents that may not be started, by name.')),
  'task.agentModelOverrides': setting(
    record(string(), string()),
    {},
    'The models of agents, by the agents’ names, in the place of what their files say.',
  ),
  'task.isolation.mode': setting(
    picklist(['none', 'worktree', 'fuse-overlay', 'fuse-projfs']),
    'worktree',
    'Where isolated subagents work: in git worktrees of their own, also where overlays are asked for; `none` refuses isolation.',
  ),
  'task.isolation.merge': setting(
    picklist(['patch', 'branch']),
    'patch',
    'How isolated work comes back: as patches that are applied, or as branches that are merged.',
  ),
  'task.isolation.commits': setting(
    picklist(['generic', 'ai']),
    'generic',
    'Who words the commits of isolated work: a fixed sentence, or the model.',
  ),
  'task.verification.enabled': setting(boolean(), false, 'The main switch of automatic verification.'),
  'task.verification.defaultProfile': setting(string(), '', 'The profile that `verify: true` means.'),
  'task.verification.requireForIsolated': restricting(
    setting(boolean(), false, 'Verify every isolated task, asked for or not.'),
  ),
  'task.verification.maxRetries': setting(whole(0), 1, 'How often failed work is sent back to be repaired.'),
  'task.verification.failureContextLineLimit': setting(
    whole(1),
    200,
    'Lines of a failed command that the repairing subagent is shown.',
  ),
  'task.verification.profiles': setting(record(string(), profile), {}, 'Sets of commands that verify work, by name.'),
  'task.budget.maxWallTimeMs': restricting(unset(whole(1), 'The most run time of a session, in milliseconds.')),
  'task.budget.maxInputTokens': restricting(unset(whole(1), 'The most input tokens.')),
  'task.budget.maxOutputTokens': restricting(unset(whole(1), 'The most output tokens.')),
  'task.budget.maxTotalTokens': restricting(unset(whole(1), 'The most tokens of both kinds together.')),
  'task.budget.maxCostUsd': restricting(unset(atLeast(0), 'The most that models may cost, in US dollars.')),
  'task.budget.maxToolCalls': restricting(unset(whole(1), 'The most tool calls.')),
  'task.budget.maxSubagents': restricting(unset(whole(1), 'The most subagents.')),
  'task.budget.warnAtRatio': setting(
    pipe(atLeast(0), maxValue(1, 'must be 1 or less')),
    0.8,
    'The part of a limit at which the host is warned.',
  ),
} as const;
