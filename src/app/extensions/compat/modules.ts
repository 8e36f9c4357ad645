// The hall: the names that extensions written for pi and its relatives import, and what they find here instead.
import type { Models, Ports } from '../../../contracts/index.ts';
import { checkJson } from '../../../core/schema/json-schema.ts';
import type { Model } from '../../../protocol/index.ts';
import { codingAgent } from './coding-agent.ts';
import { AssistantMessageEventStream, askingFunctions } from './stream-api.ts';
import { terminal } from './terminal.ts';
import { StringEnum, Type } from './typebox.ts';

const FAMILY = ['@mariozechner', '@earendil-works', '@oh-my-pi'];

export interface CompatibleSurroundings {
  agentDirectory: string;
  ports: Ports;
  models: Models;
}

export function compatibleModules(surroundings: CompatibleSurroundings): Record<string, unknown> {
  const typebox = { Type, StringEnum };
  const agent = codingAgent(surroundings);
  const ai = aiModule(surroundings);
  const value = {
    Value: {
      Check: (schema: unknown, candidate: unknown) => 'value' in checkJson(schema, candidate),
      Convert: (schema: unknown, candidate: unknown) => {
        const checked = checkJson(schema, candidate);
        return 'value' in checked ? checked.value : candidate;
      },
    },
  };
  const surfaces: Record<string, unknown> = {
    'parley-agent': agent,
    typebox,
    'typebox/value': value,
    '@sinclair/typebox': typebox,
    '@sinclair/typebox/value': value,
  };
  for (const name of FAMILY) {
    surfaces[`${name}/pi-coding-agent`] = agent;
    surfaces[`${name}/pi-ai`] = ai;
    surfaces[`${name}/pi-ai/oauth`] = {};
    surfaces[`${name}/pi-agent-core`] = {};
    surfaces[`${name}/pi-tui`] = terminal;
  }
  return surfaces;
}

function aiModule({ models, ports }: CompatibleSurroundings): Record<string, unknown> {
  return {
    Type,
    StringEnum,
    ...askingFunctions(models, ports.clock),
    AssistantMessageEventStream,
    createAssistantMessageEventStream: () => new AssistantMessageEventStream(),
    getModel: (provider: string, id: string) => models.find(provider, id),
    getModels: async (provider: string) => (await models.available()).filter((model) => model.provider === provider),
    calculateCost,
  };
}

/** US dollars, from prices for a million tokens. Written into `usage`, as extensions expect. */
function calculateCost(
  { cost: prices }: Pick<Model, 'cost'>,
  usage: { input: number; output: number; cacheRead: number; cacheWrite: number; cost?: Record<string, number> },
): Record<string, number> {
  const kinds = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
  const parts = Object.fromEntries(kinds.map((kind) => [kind, ((prices[kind] ?? 0) * usage[kind]) / 1e6]));
  const cost = { ...parts, total: Object.values(parts).reduce((sum, part) => sum + part, 0) };
  usage.cost = cost;
  return cost;
}
