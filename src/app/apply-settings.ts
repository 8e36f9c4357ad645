// Applies the settings of a project that becomes trusted while the agent runs. Settings that are read at each use take effect at
// once, the others with the next run. Must be called before other configuration of the project is used. Loaded on demand.
import type { AgentSession, ModelRegistry } from '../contracts/index.ts';
import type { SessionOptions } from '../core/index.ts';
import type { ExtensionHost } from '../extensions/index.ts';
import type { ConfiguredRule, EffectiveSettings, SettingKey } from '../settings/index.ts';
import type { TrustableResourceLocator } from '../trust/index.ts';
import type { AgentOptions } from './agent-options.ts';
import { type SessionSettings, toBudgetLimits, toSessionSettings } from './session-settings.ts';

export interface LiveAgent {
  readonly session: AgentSession;
  readonly base: SessionOptions;
  readonly sessionSettings: SessionSettings;
  readonly models: ModelRegistry;
  /** All parts of the agent share `settings` and `permissionRules`, so they are changed in place. */
  readonly options: Readonly<Pick<AgentOptions, 'settings' | 'thinkingLevel'>> & {
    readonly permissionRules: ConfiguredRule[];
  };
  readonly extensions: Pick<ExtensionHost, 'loaded'>;
  readonly resourceLocator: TrustableResourceLocator;
}

/** Settings that are otherwise read only when a session starts. */
const INITIAL_MODEL_KEYS: readonly SettingKey[] = ['defaultProvider', 'defaultModel', 'defaultThinkingLevel'];

export function applySettings(agent: LiveAgent, { values, rules }: EffectiveSettings): void {
  const { base, sessionSettings, options, resourceLocator } = agent;
  const { settings, permissionRules } = options;
  const before = { ...settings };
  Object.assign(settings, values);
  permissionRules.splice(0, permissionRules.length, ...rules);
  const updated = toSessionSettings(settings);
  for (const part of ['toolOptions', 'todos', 'compaction', 'retry'] as const)
    Object.assign(sessionSettings[part], updated[part]);
  const budget = toBudgetLimits(settings);
  if (JSON.stringify(budget) !== JSON.stringify(toBudgetLimits(before))) base.budget = budget;
  if (INITIAL_MODEL_KEYS.some((key) => before[key] !== settings[key]))
    resourceLocator.onTrusted(() => void reselectModel(agent));
}

/**
 * Chooses model and thinking level as at session start, unless the user has chosen them already.
 * Not awaited by the caller: the model may come from an extension that is still loading.
 */
async function reselectModel({ session, models, options, extensions }: LiveAgent): Promise<void> {
  const { settings, thinkingLevel } = options;
  await extensions.loaded;
  const preferred = { provider: settings.defaultProvider, model: settings.defaultModel };
  // The registry has already reported why the configured model cannot be used.
  const model = await models.chooseInitial(preferred).catch(() => null);
  while (session.state().isStreaming) await session.runs.waitUntilSettled();
  const before = session.models.current;
  const level = thinkingLevel ?? models.initialThinkingLevel ?? settings.defaultThinkingLevel;
  await session.models.setInitial(model ?? before, level);
  const { current } = session.models;
  if (!current || current === before) return;
  const message = `The project's settings choose ${current.provider}/${current.id}.`;
  session.notify({ level: 'info', message, source: 'trust' });
}
