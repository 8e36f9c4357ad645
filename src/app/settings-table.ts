// The hall: every setting, declared once: what it may be, what it is otherwise, and what it is for. Reads no file.
import { array, boolean, type InferOutput, picklist, string } from 'valibot';
import { interruptMode, queueMode, thinkingLevel } from '../protocol/index.ts';
import { APPROVALS, ON_EOF, STREAMS } from './choices.ts';
import { TASK_SETTINGS } from './settings-task.ts';
import { atLeast, restricting, setting, unset, whole } from './settings-word.ts';

export const SETTINGS = {
  defaultProvider: unset(string(), 'The provider to begin with.'),
  defaultModel: unset(string(), 'The model to begin with.'),
  defaultThinkingLevel: setting(thinkingLevel, 'medium', 'How hard the model thinks to begin with.'),
  steeringMode: setting(queueMode, 'one-at-a-time', 'How many queued steering messages a turn takes.'),
  followUpMode: setting(queueMode, 'one-at-a-time', 'How many queued follow-up messages a turn takes.'),
  interruptMode: setting(interruptMode, 'immediate', 'Whether steering acts between tool calls or after the turn.'),
  'compaction.enabled': setting(boolean(), true, 'Summarise old history when the context window fills up.'),
  'compaction.reserveTokens': setting(whole(0), 16_384, 'Tokens kept free for the answer.'),
  'compaction.keepRecentTokens': setting(
    whole(0),
    20_000,
    'Tokens of recent history that a compaction leaves as they are.',
  ),
  'retry.enabled': setting(boolean(), true, 'Ask again when a provider is overloaded or fails for a moment.'),
  'retry.maxRetries': setting(whole(0), 3, 'How often to ask again.'),
  'retry.baseDelayMs': setting(whole(0), 2_000, 'Milliseconds before the first retry; doubled for each further one.'),
  'retry.maxDelayMs': setting(whole(0), 60_000, 'The longest wait before a retry, in milliseconds.'),
  'http.idleTimeoutMs': setting(
    whole(1_000),
    600_000,
    'Milliseconds without content from a provider before the run ends with an error. Pings are not content; retries are included.',
  ),
  'http.totalTimeoutMs': setting(
    whole(1_000),
    3_600_000,
    'Milliseconds that a whole answer may take before the run ends with an error.',
  ),
  shellPath: unset(string(), 'The shell that runs commands.'),
  'bash.timeout': unset(atLeast(1), 'Seconds a shell command may take when the model names no limit.'),
  'rpc.maxLineBytes': setting(whole(1_024), 67_108_864, 'The longest line that a host may send, in bytes.'),
  'rpc.stream': setting(
    picklist(STREAMS),
    'full',
    'Repeat the growing message in every update, or send only what is new.',
  ),
  'rpc.onEof': setting(picklist(ON_EOF), 'finish', 'When the host closes stdin: finish the running work, or abort it.'),
  dialect: setting(string(), 'omp', 'The protocol spoken in RPC mode.'),
  approval: restricting(
    setting(
      picklist(APPROVALS),
      'never',
      'When the host is asked before a tool acts: never, for tools that run something, for those that change or run something, or always.',
    ),
  ),
  'ui.timeout': unset(whole(1), 'Milliseconds after which a question to the host without a limit takes its default.'),
  extensions: setting(array(string()), [], 'Files or folders of extensions, beside those that are found.'),
  'extensions.hookTimeout': setting(
    whole(1),
    30_000,
    'Milliseconds that an extension’s handler may take before the agent goes on without it.',
  ),
  skills: setting(array(string()), [], 'Files or folders of skills, beside those that are found.'),
  prompts: setting(array(string()), [], 'Files or folders of prompt templates, beside those that are found.'),
  enableSkillCommands: setting(boolean(), true, 'Offer every skill as `/skill:name`.'),
  'ttsr.enabled': setting(boolean(), true, 'Let rules with a trigger interrupt the answer.'),
  'ttsr.contextMode': setting(
    picklist(['discard', 'keep']),
    'discard',
    'What becomes of an interrupted answer: the model does not see it again, or does.',
  ),
  'ttsr.repeatMode': setting(
    picklist(['once', 'after-gap']),
    'once',
    'Whether a rule acts once in a session, or again after a gap.',
  ),
  'ttsr.repeatGap': setting(whole(1), 10, 'The turns between two acts of a rule, with `after-gap`.'),
  'todo.enabled': setting(boolean(), false, 'Offer the model a list of things to do.'),
  'todo.reminders': setting(boolean(), true, 'Remind the model of what is left when it stops.'),
  'todo.maxReminders': setting(whole(0), 3, 'How often in a row.'),
  'tasks.enabled': setting(boolean(), false, 'Offer the model a list of tasks that wait for one another.'),
  'ask.enabled': setting(boolean(), false, 'Let the model ask the host questions.'),
  ...TASK_SETTINGS,
} as const;

export type SettingKey = keyof typeof SETTINGS;

export type SettingValues = {
  readonly [K in SettingKey]: InferOutput<(typeof SETTINGS)[K]['schema']> | (typeof SETTINGS)[K]['default'];
};

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

/** What holds when nobody has set anything. */
export const defaultSettings = Object.fromEntries(
  SETTING_KEYS.map((key) => [key, SETTINGS[key].default]),
) as unknown as SettingValues;
