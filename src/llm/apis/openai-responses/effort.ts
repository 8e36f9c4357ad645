// First floor, llm: how hard each OpenAI model is told to think. Pure; a table of models, and trust in what it does not list.
import type { Reasoning, ReasoningEffort } from 'openai/resources/shared';
import type { Model, ThinkingLevel } from '../../../protocol/index.ts';

type Effort = Exclude<ReasoningEffort, 'max' | null>;

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];

/** `undefined` leaves the choice to the provider. */
export function reasoningOf(model: Model, level: ThinkingLevel): Reasoning | undefined {
  if (!model.reasoning) return undefined;
  const known = effortsOf(model.id);
  if (level !== 'off') return { effort: nearest(level, known ?? trusted(model)), summary: 'auto' };
  // Where it cannot be kept from thinking, the least is nearer to what was asked for than its own choice.
  return known && { effort: nearest('none', known) };
}

/** The next one up, otherwise the highest below: the same choice as between levels. */
function nearest(wanted: Effort, supported: readonly Effort[]): Effort {
  const at = EFFORTS.indexOf(wanted);
  const above = EFFORTS.slice(at).find((effort) => supported.includes(effort));
  return above ?? EFFORTS.slice(0, at).findLast((effort) => supported.includes(effort)) ?? wanted;
}

/** Every server knows these three; the others only where the model's entry says so. */
function trusted({ thinkingLevels = [] }: Model): readonly Effort[] {
  const more = EFFORTS.filter((effort) => (thinkingLevels as readonly string[]).includes(effort));
  return ['low', 'medium', 'high', ...more];
}

const GPT = /(?:^|\/)gpt-(\d+)(?:\.(\d+))?(?!\d)([a-z-]*)/;
const O_SERIES = /(?:^|\/)o[1-9](?!\d)/;

/** An effort that a model does not have is refused, and every later request of the session with it. */
function effortsOf(id: string): readonly Effort[] | undefined {
  if (O_SERIES.test(id)) return ['low', 'medium', 'high'];
  const [, major, minor, variant = ''] = GPT.exec(id) ?? [];
  if (major === undefined || Number(major) < 5) return undefined;
  const version = Number(major) * 100 + Number(minor ?? 0);
  if (/-chat/.test(variant)) return ['medium'];
  if (/-pro/.test(variant)) return version < 502 ? ['high'] : ['medium', 'high', 'xhigh'];
  const xhigh: Effort[] = version >= 502 || /-max/.test(variant) ? ['xhigh'] : [];
  if (/-codex/.test(variant)) return ['low', 'medium', 'high', ...xhigh];
  const least: Effort[] = version < 501 ? ['minimal'] : version > 600 || /-astra/.test(variant) ? [] : ['none'];
  return [...least, 'low', 'medium', 'high', ...xhigh];
}
