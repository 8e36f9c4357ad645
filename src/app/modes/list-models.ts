// Lists the available models, for `--list-models` and `parley models`. Starts no agent.

import { getThinkingLevels, type Model } from '../../protocol/index.ts';
import { type FlagValues, loadSettings, readFlagOptions, resolveAgentDirectory } from '../../settings/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import { createAgentModels } from '../agent-models.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { formatTable } from './format-table.ts';

type ListModelsOptions = Pick<FlagValues, 'provider' | 'model' | 'apiKey' | 'models'>;

const COLUMNS = ['provider', 'model', 'context', 'max out', 'thinking', 'images'];
const NO_KEY_HINT =
  'No provider has an API key. Store one with `parley login PROVIDER`, or set a variable, for example ANTHROPIC_API_KEY.';

/** Returns the table, or a message that no model matches the search. With `json`, returns a JSON object in both cases. */
export async function listModels(
  listModelsOptions: ListModelsOptions,
  search: string,
  { warn, json = false }: { warn(line: string): void; json?: boolean },
): Promise<string> {
  const agentDirectory = resolveAgentDirectory(process.env, homeDirectory());
  const ports = createSystemPorts({ agentDirectory });
  const { values: settings, problems } = await loadSettings({ files: ports.files, agentDirectory });
  for (const problem of problems) warn(problem);
  try {
    const models = createAgentModels({
      ...readFlagOptions(listModelsOptions),
      agentDirectory,
      settings,
      ports,
      warn,
    });
    const scope = await models.listScoped();
    const usable = scope ?? (await models.listAvailable());
    if (
      !listModelsOptions.provider &&
      !scope &&
      usable.every(({ id, provider }) => id === 'offline' && provider === 'parley')
    ) {
      warn(NO_KEY_HINT);
    }
    const providerName = listModelsOptions.provider?.toLowerCase();
    const found = usable.filter(
      (model) => (!providerName || model.provider.toLowerCase() === providerName) && matches(model, search),
    );
    if (json) return `${JSON.stringify({ models: found.map(toJsonModel) })}\n`;
    return found.length > 0 ? formatTable(COLUMNS, found.map(formatRow)) : describeNoMatch(listModelsOptions, search);
  } finally {
    await ports.close();
  }
}

function describeNoMatch({ provider, models = [] }: ListModelsOptions, search: string): string {
  const filters = [
    ...(search ? [`"${search}"`] : []),
    ...(provider ? [`--provider ${provider}`] : []),
    ...(models.length > 0 ? [`--models ${models.join(',')}`] : []),
  ];
  return `No available model matches ${filters.join(' and ')}\n`;
}

/** Every word of the search must occur in the provider, the id or the name of the model. */
function matches({ provider, id, name }: Model, search: string): boolean {
  const text = `${provider}/${id} ${name}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The fields that `omp models --json` prints. */
function toJsonModel(model: Model): Record<string, unknown> {
  const { provider, id, name, contextWindow, maxTokens, reasoning, input, cost } = model;
  const levels = listLevels(model);
  return {
    provider,
    kind: 'chat',
    id,
    selector: `${provider}/${id}`,
    name,
    contextWindow,
    maxTokens,
    reasoning,
    thinking: levels.length > 0 ? levels : null,
    input,
    cost,
  };
}

function listLevels(model: Model): string[] {
  return model.reasoning ? getThinkingLevels(model).filter((level) => level !== 'off') : [];
}

function formatRow(model: Model): string[] {
  const { provider, id, contextWindow, maxTokens, input } = model;
  const levels = listLevels(model);
  return [
    provider,
    id,
    formatTokenCount(contextWindow),
    formatTokenCount(maxTokens),
    levels.length > 1 ? `${levels[0]}–${levels.at(-1)}` : levels.length > 0 ? 'yes' : 'no',
    input.includes('image') ? 'yes' : 'no',
  ];
}

function formatTokenCount(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(2))}M`;
  return tokens >= 1000 ? `${Math.round(tokens / 1000)}K` : String(tokens);
}
