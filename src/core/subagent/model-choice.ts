// Selects the model of an agent. Falling back to the parent's model produces a warning.
import { getOwnValue } from '../../base/index.ts';
import type { Model } from '../../protocol/index.ts';
import type { SubagentHost } from '../session/parent-link.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { Spawner } from './spawner.ts';

export interface SubagentModelChoice {
  readonly model: Model | null;
  /** Set when none of the requested models is available. */
  readonly warning?: string;
}

/** Names that other programs use for the parent's model. */
const INHERIT_PATTERN = /^(?:inherit|default|(?:pi|omp)\/(?:default|task))$/;

export async function chooseModel(
  spawner: Spawner,
  host: SubagentHost,
  agent: AgentDefinition,
): Promise<SubagentModelChoice> {
  const override = getOwnValue(spawner.settings.modelOverrides, agent.name);
  const requestedModels = override === undefined ? agent.models : [override];
  const { model } = host;
  if (requestedModels.length === 0) return { model };
  const { models } = spawner.base;
  const available = await models.listAvailable();
  for (const pattern of requestedModels) {
    const lowerCasePattern = pattern.toLowerCase();
    if (INHERIT_PATTERN.test(lowerCasePattern)) return { model };
    const found =
      (await models.findByName?.(pattern)) ??
      available.find(
        (candidate) =>
          formatModelName(candidate).toLowerCase() === lowerCasePattern ||
          candidate.id.toLowerCase() === lowerCasePattern,
      ) ??
      available.find((candidate) => formatModelName(candidate).toLowerCase().includes(lowerCasePattern));
    if (found) return { model: found };
  }
  const source = override === undefined ? 'the agent file' : 'task.agentModelOverrides';
  const fallback = model ? `${formatModelName(model)}, the model of its parent` : 'none';
  const names = requestedModels.map((name) => `"${name}"`).join(', ');
  return {
    model,
    warning: `No available model matches ${names}, requested by ${source} for the agent ${agent.name}. The agent uses ${fallback}.`,
  };
}

function formatModelName({ provider, id }: Model): string {
  return `${provider}/${id}`;
}
