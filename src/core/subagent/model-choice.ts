// First floor, core: which model an agent works with. What cannot be had is said; nobody is given another model in silence.
import { ownValue } from '../../base/index.ts';
import type { Model } from '../../protocol/index.ts';
import type { SubagentHost } from '../session/family.ts';
import type { AgentDefinition } from './definition.ts';
import type { Spawner } from './spawner.ts';

export interface ChosenModel {
  readonly model: Model | null;
  /** Why it is not the one that was asked for. */
  readonly remark?: string;
}

/** What others call the model of whoever starts the agent. */
const INHERITED = /^(?:inherit|default|(?:pi|omp)\/(?:default|task))$/;

export async function chooseModel(spawner: Spawner, host: SubagentHost, agent: AgentDefinition): Promise<ChosenModel> {
  const override = ownValue(spawner.settings.modelOverrides, agent.name);
  const wanted = override === undefined ? agent.models : [override];
  const { model } = host;
  if (wanted.length === 0) return { model };
  const available = await spawner.base.models.available();
  for (const pattern of wanted) {
    const words = pattern.toLowerCase();
    if (INHERITED.test(words)) return { model };
    const found =
      available.find((one) => nameOf(one).toLowerCase() === words || one.id.toLowerCase() === words) ??
      available.find((one) => nameOf(one).toLowerCase().includes(words));
    if (found) return { model: found };
  }
  const source = override === undefined ? 'its file' : 'task.agentModelOverrides';
  const instead = model ? `${nameOf(model)}, the model of whoever starts it` : 'none';
  const names = wanted.map((name) => `"${name}"`).join(', ');
  return {
    model,
    remark: `No model fits ${names}, which ${source} names for the agent ${agent.name}; it works with ${instead}.`,
  };
}

function nameOf({ provider, id }: Model): string {
  return `${provider}/${id}`;
}
