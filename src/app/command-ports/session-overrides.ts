// Settings that a host has changed in an open session. They apply from the next use on.
import { Fault } from '../../base/index.ts';
import type { AgentSession } from '../../contracts/index.ts';
import { toApprovalPolicy, toPermissionMode } from '../../protocol/index.ts';
import { listRules, type SettingKey, type SettingValues } from '../../settings/index.ts';
import { combineWithProject, getSettingRule } from '../../settings/setting-rules.ts';
import type { LiveAgent } from '../apply-settings.ts';
import { toSessionSettings } from '../session-settings.ts';

type Values = Readonly<Record<string, unknown>>;

/** The value of a setting in one session, and the value that it replaced there. */
export interface ChangedValue {
  readonly value: unknown;
  readonly default: unknown;
}

export type ChangedValues = Readonly<Record<string, ChangedValue>>;

/**
 * Settings that are read at each use, or that a facet of the session can change. The other settings need a new session: they are read
 * at the start, or it is not certain that a change reaches every part that enforces them.
 */
const SESSION_KEYS: ReadonlySet<SettingKey> = new Set([
  'approval',
  'steeringMode',
  'followUpMode',
  'interruptMode',
  'compaction.enabled',
  'compaction.reserveTokens',
  'compaction.keepRecentTokens',
  'retry.enabled',
  'retry.maxRetries',
  'retry.baseDelayMs',
  'retry.maxDelayMs',
  'http.idleTimeoutMs',
  'http.totalTimeoutMs',
  'bash.timeout',
  'permissions.ask',
  'permissions.deny',
  'ui.timeout',
  'extensions.hookTimeout',
  'ttsr.contextMode',
  'ttsr.repeatMode',
  'ttsr.repeatGap',
  'todo.reminders',
  'todo.maxReminders',
  'task.maxConcurrency',
  'task.maxRecursionDepth',
  'task.agentModelOverrides',
  'task.isolation.merge',
  'task.isolation.commits',
  'task.verification.enabled',
  'task.verification.defaultProfile',
  'task.verification.requireForIsolated',
  'task.verification.maxRetries',
  'task.verification.failureContextLineLimit',
  'task.verification.profiles',
]);

/** Settings that have a command of their own. */
const OTHER_COMMANDS: Readonly<Record<string, string>> = {
  defaultProvider: 'set_model',
  defaultModel: 'set_model',
  defaultThinkingLevel: 'set_thinking_level',
};

/** The user chooses it for the session with set_permission_mode, too, so it may also be less strict. */
const FREE_KEY: SettingKey = 'approval';
/** Marks the rules of this file among those of the settings. */
const SESSION_ORIGIN = 'session';

export function canChangeInSession(key: SettingKey): boolean {
  return SESSION_KEYS.has(key);
}

export class SessionOverrides {
  readonly #agent: LiveAgent;
  /** The settings without the changes of the session. */
  #base: SettingValues;
  /** As the host gave them. */
  #given = new Map<SettingKey, unknown>();

  constructor(agent: LiveAgent) {
    this.#agent = agent;
    this.#base = { ...agent.options.settings };
  }

  get settings(): Record<string, unknown> {
    return Object.fromEntries(this.#given);
  }

  get base(): SettingValues {
    return this.#base;
  }

  /** The values must be valid. Throws a Fault, and changes nothing, when one of them cannot be changed in a session. */
  change(settings: Values, remove: readonly SettingKey[]): void {
    const given = new Map(this.#given);
    for (const key of remove) given.delete(checkKey(key));
    for (const [name, value] of Object.entries(settings)) {
      const key = checkKey(name as SettingKey);
      combine(key, this.#base, value);
      given.set(key, value);
    }
    this.#given = given;
    const keys = new Set([...remove, ...(Object.keys(settings) as SettingKey[])]);
    this.#apply(keys);
    for (const key of keys) applyToFacets(this.#agent.session, key, this.#agent.options.settings);
  }

  /**
   * Applies the changes of an earlier process. Returns those that do not count now, because the settings without them have changed
   * and are stricter.
   */
  restore(changes: ChangedValues): ChangedValues {
    const refused: Record<string, ChangedValue> = {};
    for (const [name, changed] of Object.entries(changes)) {
      const key = checkKey(name as SettingKey);
      if (isLessStrict(key, this.#base[key], changed)) refused[key] = changed;
      else this.#given.set(key, changed.value);
    }
    const keys = new Set(this.#given.keys());
    this.#apply(keys);
    for (const key of keys) applyToFacets(this.#agent.session, key, this.#agent.options.settings);
    return refused;
  }

  /**
   * The project has become trusted. A change that is less strict than its settings no longer counts. The state of the
   * session itself stays: commands such as `set_permission_mode` may have changed it since.
   */
  replaceBase(values: SettingValues): void {
    this.#base = { ...values };
    for (const [key, value] of this.#given) {
      try {
        combine(key, this.#base, value);
      } catch {
        this.#given.delete(key);
      }
    }
    this.#apply(new Set(this.#given.keys()));
  }

  #apply(keys: ReadonlySet<SettingKey>): void {
    const { options, sessionSettings } = this.#agent;
    const changed = [...keys].map((key) => {
      const isGiven = this.#given.has(key);
      return [key, isGiven ? combine(key, this.#base, this.#given.get(key)) : this.#base[key]] as const;
    });
    Object.assign(options.settings, Object.fromEntries(changed));
    const { permissionRules } = options;
    const others = permissionRules.filter(({ origin }) => origin !== SESSION_ORIGIN);
    permissionRules.splice(0, permissionRules.length, ...others, ...listRules(this.settings, 'user', SESSION_ORIGIN));
    const updated = toSessionSettings(options.settings);
    for (const part of ['toolOptions', 'todos', 'compaction', 'retry'] as const)
      Object.assign(sessionSettings[part], updated[part]);
  }
}

function checkKey(key: SettingKey): SettingKey {
  if (canChangeInSession(key)) return key;
  const command = OTHER_COMMANDS[key];
  const remedy = command ? `Use ${command}.` : 'Save it in the scope user, and open a new session.';
  throw new Fault('refused', `${key} cannot be changed in an open session. ${remedy}`);
}

/** What is in effect with this value. A session can only restrict, like a project. Throws a Fault for a value that is less strict. */
function combine(key: SettingKey, base: SettingValues, value: unknown): unknown {
  if (key === FREE_KEY || getSettingRule(key).project === 'replaces') return value;
  return combineWithProject(key, base[key], value, { allowProjectRules: false, subject: 'a session' });
}

/** A user may choose a less strict value than the default, but only than the default that was shown at that time. */
export function isLessStrict(key: SettingKey, base: unknown, { value, default: previous }: ChangedValue): boolean {
  const isDefaultChanged = JSON.stringify(base) !== JSON.stringify(previous);
  if (key === FREE_KEY && !isDefaultChanged) return false;
  try {
    combineWithProject(key, base, value, { allowProjectRules: false, subject: 'a session' });
    return false;
  } catch {
    return true;
  }
}

/** The state of these settings is in the session itself. */
export function applyToFacets(
  { queues, compaction, retry, approval }: AgentSession,
  key: SettingKey,
  values: SettingValues,
) {
  if (key === 'steeringMode' || key === 'followUpMode') queues[key] = values[key];
  if (key === 'interruptMode') queues.interruptMode = values.interruptMode;
  if (key === 'compaction.enabled') compaction.isAutomatic = values[key];
  if (key === 'retry.enabled') retry.enabled = values[key];
  if (key === 'approval') approval.policy = toApprovalPolicy(values.approval);
}

/** The values in effect, with those that commands have changed, such as `set_auto_retry`. */
export function readLiveValues(
  { queues, compaction, retry, approval }: AgentSession,
  settings: SettingValues,
): SettingValues {
  const isPolicySet = toApprovalPolicy(settings.approval) === approval.policy;
  return {
    ...settings,
    steeringMode: queues.steeringMode,
    followUpMode: queues.followUpMode,
    interruptMode: queues.interruptMode,
    'compaction.enabled': compaction.isAutomatic,
    'retry.enabled': retry.enabled,
    approval: isPolicySet ? settings.approval : toPermissionMode(approval.policy),
  };
}
