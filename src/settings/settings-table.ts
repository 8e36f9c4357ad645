// Declares all settings with schema and default. Their documentation is in setting-docs.ts, which is not loaded at start.
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

function defineSetting<S extends GenericSchema>(schema: S, value: InferOutput<S>): Setting<S, InferOutput<S>> {
  return { schema, default: value };
}

/** A setting that a project cannot change. */
function defineUserSetting<S extends GenericSchema>(schema: S, value: InferOutput<S>): Setting<S, InferOutput<S>> {
  return { ...defineSetting(schema, value), fromProject: 'ignore' };
}

/** A setting without a default. */
function defineOptionalSetting<S extends GenericSchema>(schema: S): Setting<S, undefined> {
  return { schema, default: undefined };
}

function markRestricting<S extends GenericSchema, D>(setting: Setting<S, D>, fromProject: ProjectRule): Setting<S, D> {
  return { ...setting, restricts: true, fromProject };
}

/** An optional maximum, at least 1. */
function defineLimit() {
  return markRestricting(defineOptionalSetting(integerAtLeast(1)), 'smaller');
}

const NAMES_OF_OTHERS = /^(?:Bash|Read|Edit|MultiEdit|Write|Grep|Glob|LS|Task|WebFetch|WebSearch|NotebookEdit)\b/;

/** A list of permission rules. Their patterns are checked by check-patterns.ts. */
function defineRules(fromProject: ProjectRule) {
  const rule = pipe(
    string(),
    regex(/^[\w*-]+(?:\(.+\))?$/, 'must be TOOL or TOOL(PATTERN)'),
    check((text) => !NAMES_OF_OTHERS.test(text), 'must begin with the name of a tool of Parley, such as bash or edit'),
  );
  return markRestricting(defineSetting(array(rule), []), fromProject);
}

/** A list of files or directories. Relative paths would depend on the directory in which Parley is started. */
function definePaths(fromProject: ProjectRule) {
  const path = pipe(
    string(),
    check((text) => isAbsolute(text) || /^~(?:\/|$)/.test(text), 'must be an absolute path or begin with ~/'),
    check((text) => !/[*?\0]/.test(text), 'must be a path, not a pattern'),
    check((text) => normalize(text) !== '/', 'must not be the root directory'),
  );
  return { ...markRestricting(defineSetting(array(path), []), fromProject), isPathList: true as const };
}

/** A directory that only the user can name. */
function defineUserOptionalPath() {
  const path = pipe(
    string(),
    check((text) => isAbsolute(text) || text.startsWith('~/'), 'must be an absolute path or begin with ~/'),
  );
  return markRestricting(defineOptionalSetting(path), 'ignore');
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
  defaultProvider: defineOptionalSetting(string()),
  defaultModel: defineOptionalSetting(string()),
  defaultThinkingLevel: defineSetting(thinkingLevel, 'medium'),
  steeringMode: defineSetting(queueMode, 'one-at-a-time'),
  followUpMode: defineSetting(queueMode, 'one-at-a-time'),
  interruptMode: defineSetting(interruptMode, 'immediate'),
  'compaction.enabled': defineSetting(boolean(), true),
  'compaction.reserveTokens': defineSetting(integerAtLeast(0), 16_384),
  'compaction.keepRecentTokens': defineSetting(integerAtLeast(0), 20_000),
  'retry.enabled': defineSetting(boolean(), true),
  'retry.maxRetries': defineSetting(integerAtLeast(0), 3),
  'retry.baseDelayMs': defineSetting(integerAtLeast(0), 2_000),
  'retry.maxDelayMs': defineSetting(integerAtLeast(0), 60_000),
  'http.idleTimeoutMs': defineSetting(integerAtLeast(1_000), 600_000),
  'http.totalTimeoutMs': defineSetting(integerAtLeast(1_000), 3_600_000),
  shellPath: defineOptionalSetting(string()),
  'bash.timeout': defineOptionalSetting(numberAtLeast(1)),
  'rpc.maxLineBytes': defineSetting(integerAtLeast(1_024), 67_108_864),
  'rpc.stream': defineSetting(picklist(STREAM_MODES), 'full'),
  'rpc.onEof': defineSetting(picklist(EOF_ACTIONS), 'finish'),
  dialect: defineSetting(string(), 'omp'),
  store: markRestricting(
    defineOptionalSetting(
      pipe(string(), regex(/^postgres(?:ql)?:\/\//, 'must have the form postgres://USER:PASSWORD@HOST:PORT/NAME')),
    ),
    'ignore',
  ),
  'database.tenant': markRestricting(
    defineSetting(pipe(string(), regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, and . _ -')), 'default'),
    'ignore',
  ),
  'database.takeoverSeconds': defineUserSetting(pipe(number(), minValue(2, 'must be 2 or more')), 10),
  'database.retentionDays': {
    ...defineOptionalSetting(
      pipe(
        number(),
        check((days) => days > 0, 'must be more than 0'),
      ),
    ),
    fromProject: 'ignore',
  },
  'workspace.remote': markRestricting(
    defineOptionalSetting(
      pipe(
        string(),
        regex(
          /^(?:[A-Za-z\d][\w.-]*|\/.+|(?:https|ssh|file):\/\/.+|[\w.-]+@[\w.-]+:.+)$/,
          'must be a git URL, an absolute path or the name of a remote',
        ),
        check(
          (text) => !/^https:\/\/[^/]*@|^ssh:\/\/[^/@]*:[^/]*@/.test(text),
          'must not contain credentials; configure a credential helper of git',
        ),
      ),
    ),
    'ignore',
  ),
  'workspace.directory': defineUserOptionalPath(),
  'workspace.keepHours': defineUserSetting(numberAtLeast(0), 24),
  'workspace.repositories': markRestricting(
    defineSetting(
      array(
        pipe(
          string(),
          regex(
            /^(?:~?\/.+|(?:https|ssh|file):\/\/.+|[\w.-]+@[\w.-]+:.*)$/,
            'must be an absolute path or the beginning of a git URL',
          ),
        ),
      ),
      [],
    ),
    'ignore',
  ),
  'serve.port': defineUserSetting(pipe(integerAtLeast(0), maxValue(65_535, 'must be at most 65535')), 7420),
  'serve.host': defineUserSetting(string(), '127.0.0.1'),
  'serve.idleMinutes': defineUserSetting(pipe(number(), minValue(0.01, 'must be 0.01 or more')), 30),
  'serve.clientBuffer': defineUserSetting(integerAtLeast(65_536), 8_388_608),
  'serve.maxClients': markRestricting(defineSetting(integerAtLeast(1), 1000), 'ignore'),
  'serve.allowedHosts': markRestricting(defineSetting(array(string()), []), 'ignore'),
  'serve.allowedOrigins': markRestricting(defineSetting(array(string()), []), 'ignore'),
  approval: markRestricting(defineSetting(picklist(APPROVAL_VALUES), 'never'), [
    ['full', 'never'],
    ['auto-edit', 'on-execute'],
    ['ask', 'on-write'],
    'always',
    'read-only',
  ]),
  approvalTimeout: {
    ...defineSetting(integerAtLeast(0), 30_000),
    fromProject: 'ignore',
  },
  'permissions.allow': defineRules('accumulate-if-allowed'),
  'permissions.ask': defineRules('accumulate'),
  'permissions.deny': defineRules('accumulate'),
  'permissions.allowProjectRules': markRestricting(defineSetting(boolean(), false), 'ignore'),
  sandbox: markRestricting(defineSetting(picklist(SANDBOX_MODES), 'off'), SANDBOX_MODES),
  'sandbox.network': markRestricting(defineSetting(picklist(['off', 'on', 'allow-list']), 'off'), [
    'on',
    'allow-list',
    'off',
  ]),
  'sandbox.allowedHosts': markRestricting(defineSetting(array(string()), []), 'ignore'),
  'sandbox.writableRoots': definePaths('ignore'),
  'sandbox.deniedReads': definePaths('accumulate'),
  paths: markRestricting(
    defineOptionalSetting(picklist(['off', 'warn', 'enforce'])),
    // The default may be `enforce`, so a project cannot replace it by `warn`.
    ['off', 'warn', undefined, 'enforce'],
  ),
  'paths.readRoots': definePaths('ignore'),
  'ui.timeout': defineOptionalSetting(integerAtLeast(1)),
  extensions: defineSetting(array(string()), []),
  'extensions.hookTimeout': defineSetting(integerAtLeast(1), 30_000),
  skills: defineSetting(array(string()), []),
  prompts: defineSetting(array(string()), []),
  enableSkillCommands: defineSetting(boolean(), true),
  'ttsr.enabled': defineSetting(boolean(), true),
  'ttsr.contextMode': defineSetting(picklist(['discard', 'keep']), 'discard'),
  'ttsr.repeatMode': defineSetting(picklist(['once', 'after-gap']), 'once'),
  'ttsr.repeatGap': defineSetting(integerAtLeast(1), 10),
  'todo.enabled': defineSetting(boolean(), false),
  'todo.reminders': defineSetting(boolean(), true),
  'todo.maxReminders': defineSetting(integerAtLeast(0), 3),
  'tasks.enabled': defineSetting(boolean(), false),
  'ask.enabled': defineSetting(boolean(), false),
  'mcp.enabled': markRestricting(defineSetting(boolean(), true), [true, false]),
  'mcp.disabledServers': markRestricting(defineSetting(array(string()), []), 'add'),
  'mcp.startupTimeout': defineSetting(integerAtLeast(0), 10_000),
  'mcp.maxInlineTools': defineSetting(integerAtLeast(0), 20),
  'mcp.sampling': markRestricting(defineSetting(boolean(), false), [true, false]),
  'task.maxConcurrency': defineSetting(integerAtLeast(0), 32),
  'task.maxRecursionDepth': markRestricting(defineSetting(integerAtLeast(0), 2), 'smaller'),
  'task.disabledAgents': markRestricting(defineSetting(array(string()), []), 'add'),
  'task.agentModelOverrides': defineSetting(record(string(), string()), {}),
  'task.isolation.mode': defineSetting(picklist(['none', 'worktree', 'fuse-overlay', 'fuse-projfs']), 'worktree'),
  'task.isolation.merge': defineSetting(picklist(['patch', 'branch']), 'patch'),
  'task.isolation.commits': defineSetting(picklist(['generic', 'ai']), 'generic'),
  'task.verification.enabled': {
    ...defineSetting(boolean(), false),
    fromProject: [false, true],
  },
  'task.verification.defaultProfile': defineSetting(string(), ''),
  'task.verification.requireForIsolated': markRestricting(defineSetting(boolean(), false), [false, true]),
  'task.verification.maxRetries': defineSetting(integerAtLeast(0), 1),
  'task.verification.failureContextLineLimit': defineSetting(integerAtLeast(1), 200),
  'task.verification.profiles': defineSetting(record(string(), verificationProfile), {}),
  'task.budget.maxWallTimeMs': defineLimit(),
  'task.budget.maxInputTokens': defineLimit(),
  'task.budget.maxOutputTokens': defineLimit(),
  'task.budget.maxTotalTokens': defineLimit(),
  'task.budget.maxCostUsd': markRestricting(defineOptionalSetting(numberAtLeast(0)), 'smaller'),
  'task.budget.maxToolCalls': defineLimit(),
  'task.budget.maxSubagents': defineLimit(),
  'task.budget.warnAtRatio': defineSetting(pipe(numberAtLeast(0), maxValue(1, 'must be 1 or less')), 0.8),
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
