// Reasoning effort of the OpenAI models.
import type { Reasoning, ReasoningEffort } from 'openai/resources/shared';
import type { Model, ThinkingLevel } from '../../../protocol/index.ts';

type Effort = Exclude<ReasoningEffort, 'max' | null>;

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];

/** `undefined` uses the provider's default. */
export function buildReasoning(model: Model, level: ThinkingLevel): Reasoning | undefined {
  if (!model.reasoning) return undefined;
  const knownEfforts = listKnownEfforts(model.id);
  if (level !== 'off')
    return { effort: findNearestEffort(level, knownEfforts ?? listAssumedEfforts(model)), summary: 'auto' };
  // If thinking cannot be disabled, the lowest effort is closer to `off` than the default.
  return knownEfforts && { effort: findNearestEffort('none', knownEfforts) };
}

/** The next higher effort, otherwise the next lower one: the same rule as for thinking levels. */
function findNearestEffort(requested: Effort, supported: readonly Effort[]): Effort {
  const index = EFFORTS.indexOf(requested);
  const above = EFFORTS.slice(index).find((effort) => supported.includes(effort));
  return above ?? EFFORTS.slice(0, index).findLast((effort) => supported.includes(effort)) ?? requested;
}

/** Every server accepts these three; others only if the model lists them. */
function listAssumedEfforts({ thinkingLevels = [] }: Model): readonly Effort[] {
  const listed = EFFORTS.filter((effort) => (thinkingLevels as readonly string[]).includes(effort));
  return ['low', 'medium', 'high', ...listed];
}

const GPT_ID = /(?:^|\/)gpt-(\d+)(?:\.(\d+))?(?!\d)([a-z-]*)/;
const O_SERIES_ID = /(?:^|\/)o[1-9](?!\d)/;

/** The API rejects efforts that a model does not support, and with them every later request of the session. */
function listKnownEfforts(id: string): readonly Effort[] | undefined {
  if (O_SERIES_ID.test(id)) return ['low', 'medium', 'high'];
  const [, major, minor, variant = ''] = GPT_ID.exec(id) ?? [];
  if (major === undefined || Number(major) < 5) return undefined;
  const version = Number(major) * 100 + Number(minor ?? 0);
  if (/-chat/.test(variant)) return ['medium'];
  if (/-pro/.test(variant)) return version < 502 ? ['high'] : ['medium', 'high', 'xhigh'];
  const xhigh: Effort[] = version >= 502 || /-max/.test(variant) ? ['xhigh'] : [];
  if (/-codex/.test(variant)) return ['low', 'medium', 'high', ...xhigh];
  const lowest: Effort[] = version < 501 ? ['minimal'] : version > 600 || /-astra/.test(variant) ? [] : ['none'];
  return [...lowest, 'low', 'medium', 'high', ...xhigh];
}
