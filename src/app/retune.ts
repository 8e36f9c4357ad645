// The hall: the settings of a project that is trusted while the agent runs. What is read for each use counts at once, the rest from
// the next run on. Loaded when it happens; whoever trusts calls it before anything else of the project counts.
import type { AgentSession, Models } from '../contracts/index.ts';
import type { SessionOptions } from '../core/index.ts';
import type { ThinkingLevel } from '../protocol/index.ts';
import type { ExtensionFront } from './extensions/front.ts';
import { budgetFor } from './limits.ts';
import type { SettingKey, SettingValues } from './settings-table.ts';
import type { TrustablePlaces } from './trust/places.ts';
import { tuningFor } from './tuning.ts';

export interface Tuned {
  readonly session: AgentSession;
  readonly base: SessionOptions;
  readonly tuning: ReturnType<typeof tuningFor>;
  readonly models: Models;
  /** Its settings are those that everybody looks at. */
  readonly options: { readonly settings: SettingValues; readonly thinkingLevel?: ThinkingLevel | undefined };
  readonly extensions: Pick<ExtensionFront, 'loaded'>;
  readonly places: TrustablePlaces;
}

/** What a session begins with. */
const BEGINNING: readonly SettingKey[] = ['defaultProvider', 'defaultModel', 'defaultThinkingLevel'];

export function retune(tuned: Tuned, values: SettingValues): void {
  const { base, tuning, options, places } = tuned;
  const { settings } = options;
  const before = { ...settings };
  Object.assign(settings, values);
  const now = tuningFor(settings);
  for (const part of ['toolOptions', 'todos', 'compaction', 'retry'] as const) Object.assign(tuning[part], now[part]);
  const budget = budgetFor(settings);
  if (JSON.stringify(budget) !== JSON.stringify(budgetFor(before))) base.budget = budget;
  if (BEGINNING.some((key) => before[key] !== settings[key])) places.onTrust(() => void beginAgain(tuned));
}

/** As if the session began now, as far as nobody has chosen anything. Nobody waits for it: the model may be an extension's. */
async function beginAgain({ session, models, options, extensions }: Tuned): Promise<void> {
  const { settings, thinkingLevel } = options;
  await extensions.loaded;
  const preferred = { provider: settings.defaultProvider, model: settings.defaultModel };
  // Whoever keeps the models has said what is wrong with the one that is named.
  const model = await models.initial(preferred).catch(() => null);
  while (session.state().isStreaming) await session.runs.settled();
  const before = session.models.current;
  await session.models.prefer(model ?? before, thinkingLevel ?? settings.defaultThinkingLevel);
  const { current } = session.models;
  if (!current || current === before) return;
  const message = `The project's settings choose ${current.provider}/${current.id}.`;
  session.notify({ level: 'info', message, source: 'trust' });
}
