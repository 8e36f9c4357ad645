// Declares all settings with schema, default and documentation.
import { isAbsolute, normalize } from 'node:path';
import {
  array,
  boolean,
  check,
  type GenericSchema,
  type InferOutput,
  integer,
  looseObject,
  maxValue,
  minValue,
  number,
  optional,
  picklist,
  pipe,
  record,
  regex,
  string,
} from 'valibot';
import { interruptMode, queueMode, thinkingLevel } from '../protocol/index.ts';
import { APPROVAL_VALUES, EOF_ACTIONS, SANDBOX_MODES, STREAM_MODES } from './option-values.ts';

interface Setting<S extends GenericSchema, D> {
  readonly schema: S;
  readonly default: D;
  readonly doc: string;
  /** The setting forbids or limits something. An invalid value is an error and is never replaced by the default. */
  readonly restricts?: true;
  /** How the value of a trusted project is combined with that of the user, or with the default. Absent: it replaces it. */
  readonly fromProject?: ProjectRule;
  /** A list of paths, in which `~` is replaced when they are loaded. */
  readonly isPathList?: true;
}

/**
 * - `ignore`: only the user can set it.
 * - `add`: a list; the entries of the project are added.
 * - `accumulate`: like `add`; `--set` and flags add to the files, too, instead of replacing them.
 * - `accumulate-if-allowed`: like `accumulate`, but a project needs `permissions.allowProjectRules` of the user.
 * - `smaller`: the smaller number is used; undefined is no limit.
 * - an array: the values from the weakest to the strictest, equal ones as an array. The stricter value is used.
 */
export type ProjectRule = 'ignore' | 'add' | 'accumulate' | 'accumulate-if-allowed' | 'smaller' | readonly unknown[];

function defineSetting<S extends GenericSchema>(
  schema: S,
  value: InferOutput<S>,
  doc: string,
): Setting<S, InferOutput<S>> {
  return { schema, default: value, doc };
}

/** A setting without a default. */
function defineOptionalSetting<S extends GenericSchema>(schema: S, doc: string): Setting<S, undefined> {
  return { schema, default: undefined, doc };
}

function markRestricting<S extends GenericSchema, D>(setting: Setting<S, D>, fromProject: ProjectRule): Setting<S, D> {
  return { ...setting, restricts: true, fromProject };
}

/** An optional maximum, at least 1. */
function defineLimit(doc: string) {
  return markRestricting(defineOptionalSetting(integerAtLeast(1), doc), 'smaller');
}

const NAMES_OF_OTHERS = /^(?:Bash|Read|Edit|MultiEdit|Write|Grep|Glob|LS|Task|WebFetch|WebSearch|NotebookEdit)\b/;

/** A list of permission rules. The patterns are checked when they are used. */
function defineRules(fromProject: ProjectRule, doc: string) {
  const rule = pipe(
    string(),
    regex(/^[\w*-]+(?:\(.+\))?$/, 'must be TOOL or TOOL(PATTERN)'),
    check((text) => !NAMES_OF_OTHERS.test(text), 'must begin with the name of a tool of Parley, such as bash or edit'),
  );
  return markRestricting(defineSetting(array(rule), [], doc), fromProject);
}

/** A list of files or directories. Relative paths would depend on the directory in which Parley is started. */
function definePaths(fromProject: ProjectRule, doc: string) {
  const path = pipe(
    string(),
    check((text) => isAbsolute(text) || /^~(?:\/|$)/.test(text), 'must be an absolute path or begin with ~/'),
    check((text) => !/[*?\0]/.test(text), 'must be a path, not a pattern'),
    check((text) => normalize(text) !== '/', 'must not be the root directory'),
  );
  return { ...markRestricting(defineSetting(array(path), [], doc), fromProject), isPathList: true as const };
}

function integerAtLeast(minimum: number) {
  return pipe(number(), integer('must be a whole number'), minValue(minimum, `must be ${minimum} or more`));
}

function numberAtLeast(minimum: number) {
  return pipe(number(), minValue(minimum, `must be ${minimum} or more`));
}

const verificationProfile = looseObject({
  mode: optional(string()),
  commands: optional(
    array(
      looseObject({
        name: string(),
        command: string(),
        timeoutMs: optional(integerAtLeast(1)),
        optional: optional(boolean()),
      }),
    ),
  ),
  onFailure: optional(picklist(['return_failure', 'retry_once', 'discard_patch'])),
  maxRetries: optional(integerAtLeast(0)),
});

export const SETTINGS = {
  defaultProvider: defineOptionalSetting(string(), 'The provider of a new session.'),
  defaultModel: defineOptionalSetting(string(), 'The model of a new session.'),
  defaultThinkingLevel: defineSetting(thinkingLevel, 'medium', 'The thinking level of a new session.'),
  steeringMode: defineSetting(queueMode, 'one-at-a-time', 'How many queued steering messages are delivered per turn.'),
  followUpMode: defineSetting(queueMode, 'one-at-a-time', 'How many queued follow-up messages are delivered per turn.'),
  interruptMode: defineSetting(
    interruptMode,
    'immediate',
    'Whether steering messages are delivered between tool calls or after the turn.',
  ),
  'compaction.enabled': defineSetting(boolean(), true, 'Summarise old history when the context window fills up.'),
  'compaction.reserveTokens': defineSetting(integerAtLeast(0), 16_384, 'Tokens reserved for the answer.'),
  'compaction.keepRecentTokens': defineSetting(
    integerAtLeast(0),
    20_000,
    'Tokens of recent history that a compaction does not summarise.',
  ),
  'retry.enabled': defineSetting(boolean(), true, 'Retry when a provider is overloaded or fails temporarily.'),
  'retry.maxRetries': defineSetting(integerAtLeast(0), 3, 'The maximum number of retries.'),
  'retry.baseDelayMs': defineSetting(
    integerAtLeast(0),
    2_000,
    'Milliseconds before the first retry; doubled for each further one.',
  ),
  'retry.maxDelayMs': defineSetting(integerAtLeast(0), 60_000, 'The maximum delay before a retry, in milliseconds.'),
  'http.idleTimeoutMs': defineSetting(
    integerAtLeast(1_000),
    600_000,
    'Milliseconds without content from a provider before the run ends with an error. Pings are not content; retries are included.',
  ),
  'http.totalTimeoutMs': defineSetting(
    integerAtLeast(1_000),
    3_600_000,
    'Milliseconds that a complete answer may take before the run ends with an error.',
  ),
  shellPath: defineOptionalSetting(string(), 'The shell that runs commands.'),
  'bash.timeout': defineOptionalSetting(
    numberAtLeast(1),
    'Default timeout of a shell command in seconds, when the model sets none.',
  ),
  'rpc.maxLineBytes': defineSetting(
    integerAtLeast(1_024),
    67_108_864,
    'The maximum length of a line from the host, in bytes.',
  ),
  'rpc.stream': defineSetting(
    picklist(STREAM_MODES),
    'full',
    'With `full`, every update contains the message so far; with `delta`, only the new text.',
  ),
  'rpc.onEof': defineSetting(
    picklist(EOF_ACTIONS),
    'finish',
    'When the host closes stdin: finish the running work, or abort it.',
  ),
  dialect: defineSetting(string(), 'omp', 'The protocol dialect used in RPC mode.'),
  approval: markRestricting(
    defineSetting(
      picklist(APPROVAL_VALUES),
      'never',
      'Which tool calls need an approval. `full` or `never`: none. `auto-edit` or `on-execute`: those that execute. `ask` or `on-write`: those that write or execute. `always`: all. `read-only` denies calls that write, and commands except harmless ones.',
    ),
    [['full', 'never'], ['auto-edit', 'on-execute'], ['ask', 'on-write'], 'always', 'read-only'],
  ),
  approvalTimeout: {
    ...defineSetting(
      integerAtLeast(0),
      30_000,
      'Milliseconds that the host has to approve a tool call; then it is denied. 0: no timeout. The terminal has no timeout.',
    ),
    fromProject: 'ignore',
  },
  'permissions.allow': defineRules('accumulate-if-allowed', 'Rules `tool(pattern)` of calls that need no approval.'),
  'permissions.ask': defineRules('accumulate', 'Rules of calls that always need an approval.'),
  'permissions.deny': defineRules('accumulate', 'Rules of calls that are never run. They win over all others.'),
  'permissions.allowProjectRules': markRestricting(
    defineSetting(boolean(), false, 'Use `permissions.allow` of trusted projects, too.'),
    'ignore',
  ),
  sandbox: markRestricting(
    defineSetting(
      picklist(SANDBOX_MODES),
      'off',
      'What the commands of tools may change: everything (`off`), only the working directory and `sandbox.writableRoots`, or nothing.',
    ),
    SANDBOX_MODES,
  ),
  'sandbox.network': markRestricting(
    defineSetting(
      picklist(['off', 'on', 'allow-list']),
      'off',
      'Whether commands in the sandbox may use the network; with `allow-list` only the hosts of `sandbox.allowedHosts`.',
    ),
    ['on', 'allow-list', 'off'],
  ),
  'sandbox.allowedHosts': markRestricting(
    defineSetting(
      array(string()),
      [],
      'Host names for `allow-list`, such as `example.com`, `*.example.com` or `example.com:8443`.',
    ),
    'ignore',
  ),
  'sandbox.writableRoots': definePaths(
    'ignore',
    'Further directories that tools may read and change, in the sandbox and with `paths`.',
  ),
  'sandbox.deniedReads': definePaths('accumulate', 'Further files and directories that tools may not read.'),
  paths: markRestricting(
    defineOptionalSetting(
      picklist(['off', 'warn', 'enforce']),
      'Whether file tools may leave the working directory and the listed directories: yes (`off`), with a warning, or no (`enforce`). Default: `enforce` with a sandbox, otherwise `warn`.',
    ),
    // The default may be `enforce`, so a project cannot replace it by `warn`.
    ['off', 'warn', undefined, 'enforce'],
  ),
  'paths.readRoots': definePaths('ignore', 'Further directories that file tools may read.'),
  'ui.timeout': defineOptionalSetting(integerAtLeast(1), 'Default timeout in milliseconds of a question to the host.'),
  extensions: defineSetting(array(string()), [], 'Additional extension files or folders.'),
  'extensions.hookTimeout': defineSetting(
    integerAtLeast(1),
    30_000,
    'Timeout of an extension handler in milliseconds; the agent then continues without it.',
  ),
  skills: defineSetting(array(string()), [], 'Additional skill files or folders.'),
  prompts: defineSetting(array(string()), [], 'Additional prompt template files or folders.'),
  enableSkillCommands: defineSetting(boolean(), true, 'Offer every skill as `/skill:name`.'),
  'ttsr.enabled': defineSetting(boolean(), true, 'Let rules with a trigger interrupt the answer.'),
  'ttsr.contextMode': defineSetting(
    picklist(['discard', 'keep']),
    'discard',
    'Whether an interrupted answer is removed from the context (`discard`) or stays in it (`keep`).',
  ),
  'ttsr.repeatMode': defineSetting(
    picklist(['once', 'after-gap']),
    'once',
    'Whether a rule triggers once per session, or again after a gap.',
  ),
  'ttsr.repeatGap': defineSetting(
    integerAtLeast(1),
    10,
    'The number of turns before a rule can trigger again, with `after-gap`.',
  ),
  'todo.enabled': defineSetting(boolean(), false, 'Offer the model the `todo_write` tool.'),
  'todo.reminders': defineSetting(boolean(), true, 'Remind the model of open todos when it stops.'),
  'todo.maxReminders': defineSetting(integerAtLeast(0), 3, 'The maximum number of consecutive reminders.'),
  'tasks.enabled': defineSetting(boolean(), false, 'Offer the model the `tasks` tool: a task list with dependencies.'),
  'ask.enabled': defineSetting(boolean(), false, 'Offer the model the `ask` tool: questions to the host.'),
  'mcp.enabled': markRestricting(defineSetting(boolean(), true, 'Use MCP servers.'), [true, false]),
  'mcp.disabledServers': markRestricting(
    defineSetting(array(string()), [], 'MCP servers that are not used, by name.'),
    'add',
  ),
  'mcp.startupTimeout': defineSetting(
    integerAtLeast(0),
    10_000,
    'Milliseconds that the first request waits for MCP servers. Slower servers are used when they are ready.',
  ),
  'mcp.maxInlineTools': defineSetting(
    integerAtLeast(0),
    20,
    'With more tools of MCP servers than this, requests contain only their names, and the model finds their parameters with `find_tools`.',
  ),
  'mcp.sampling': markRestricting(
    defineSetting(boolean(), false, "Let MCP servers send requests to the session's model, at the user's cost."),
    [true, false],
  ),
  'task.maxConcurrency': defineSetting(
    integerAtLeast(0),
    32,
    'The maximum number of subagents of one call that run at the same time; 0: no limit.',
  ),
  'task.maxRecursionDepth': markRestricting(
    defineSetting(integerAtLeast(0), 2, 'The maximum nesting depth of subagents; 0: subagents start no subagents.'),
    'smaller',
  ),
  'task.disabledAgents': markRestricting(
    defineSetting(array(string()), [], 'Agents that may not be started, by name.'),
    'add',
  ),
  'task.agentModelOverrides': defineSetting(
    record(string(), string()),
    {},
    'Models by agent name; they override the model in the agent file.',
  ),
  'task.isolation.mode': defineSetting(
    picklist(['none', 'worktree', 'fuse-overlay', 'fuse-projfs']),
    'worktree',
    'How isolated subagents work. All values except `none` use a git worktree; `none` refuses isolation.',
  ),
  'task.isolation.merge': defineSetting(
    picklist(['patch', 'branch']),
    'patch',
    'How isolated work is merged: applied as patches, or merged as branches.',
  ),
  'task.isolation.commits': defineSetting(
    picklist(['generic', 'ai']),
    'generic',
    'Commit messages of isolated work: a fixed text (`generic`), or written by the model (`ai`).',
  ),
  'task.verification.enabled': {
    ...defineSetting(boolean(), false, 'Enable automatic verification.'),
    fromProject: [false, true],
  },
  'task.verification.defaultProfile': defineSetting(string(), '', 'The profile used for `verify: true`.'),
  'task.verification.requireForIsolated': markRestricting(
    defineSetting(boolean(), false, 'Verify every isolated task, even if not requested.'),
    [false, true],
  ),
  'task.verification.maxRetries': defineSetting(
    integerAtLeast(0),
    1,
    'The maximum number of repair attempts after a failed verification.',
  ),
  'task.verification.failureContextLineLimit': defineSetting(
    integerAtLeast(1),
    200,
    'Lines of failed output that are passed to the repairing subagent.',
  ),
  'task.verification.profiles': defineSetting(
    record(string(), verificationProfile),
    {},
    'Verification profiles by name: lists of commands.',
  ),
  'task.budget.maxWallTimeMs': defineLimit('The maximum run time of a session, in milliseconds.'),
  'task.budget.maxInputTokens': defineLimit('The maximum number of input tokens.'),
  'task.budget.maxOutputTokens': defineLimit('The maximum number of output tokens.'),
  'task.budget.maxTotalTokens': defineLimit('The maximum number of input and output tokens together.'),
  'task.budget.maxCostUsd': markRestricting(
    defineOptionalSetting(numberAtLeast(0), 'The maximum model cost, in US dollars.'),
    'smaller',
  ),
  'task.budget.maxToolCalls': defineLimit('The maximum number of tool calls.'),
  'task.budget.maxSubagents': defineLimit('The maximum number of subagents.'),
  'task.budget.warnAtRatio': defineSetting(
    pipe(numberAtLeast(0), maxValue(1, 'must be 1 or less')),
    0.8,
    'The fraction of a limit at which a warning is sent to the host.',
  ),
} as const;

export type SettingKey = keyof typeof SETTINGS;

export type SettingValues = {
  readonly [K in SettingKey]: InferOutput<(typeof SETTINGS)[K]['schema']> | (typeof SETTINGS)[K]['default'];
};

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

/** The default of every setting. */
export const defaultSettings = Object.fromEntries(
  SETTING_KEYS.map((key) => [key, SETTINGS[key].default]),
) as unknown as SettingValues;
