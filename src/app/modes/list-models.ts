// The hall: a table of the models that can be used, for a person at a terminal. Starts no agent.

import { levelsOf, type Model } from '../../protocol/index.ts';
import { homeDirectory } from '../home.ts';
import { modelsFor } from '../models.ts';
import { loadSettings, userDirectory } from '../settings.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import type { StartOptions } from './start.ts';
import { table } from './table.ts';

type Options = Pick<StartOptions, 'provider' | 'model' | 'apiKey' | 'models'>;

const HEAD = ['provider', 'model', 'context', 'max out', 'thinking', 'images'];
const ONLY_OFFLINE =
  'No provider has a key yet. Set one, for example ANTHROPIC_API_KEY, or add it to auth.json; see README.md.';

/** The table, or the news that nothing matches the search. */
export async function listModels(options: Options, search: string, warn: (line: string) => void): Promise<string> {
  const agentDirectory = userDirectory(process.env, homeDirectory());
  const ports = createSystemPorts({ own: agentDirectory });
  const { values: settings, problems } = await loadSettings({ files: ports.files, directory: agentDirectory });
  for (const problem of problems) warn(problem);
  try {
    const models = modelsFor({ ...options, modelPatterns: options.models, agentDirectory, settings, ports, warn });
    const scope = await models.scope();
    const usable = scope ?? (await models.available());
    if (!options.provider && !scope && usable.every(({ id, provider }) => id === 'offline' && provider === 'parley')) {
      warn(ONLY_OFFLINE);
    }
    const wanted = options.provider?.toLowerCase();
    const found = usable.filter(
      (model) => (!wanted || model.provider.toLowerCase() === wanted) && matches(model, search),
    );
    return found.length > 0 ? table(HEAD, found.map(row)) : nothingFound(options, search);
  } finally {
    await ports.close();
  }
}

function nothingFound({ provider, models = [] }: Options, search: string): string {
  const words = [
    ...(search ? [`"${search}"`] : []),
    ...(provider ? [`--provider ${provider}`] : []),
    ...(models.length > 0 ? [`--models ${models.join(',')}`] : []),
  ];
  return `No model that can be used matches ${words.join(' and ')}\n`;
}

/** Every word of the search stands somewhere in what names the model. */
function matches({ provider, id, name }: Model, search: string): boolean {
  const text = `${provider}/${id} ${name}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function row(model: Model): string[] {
  const { provider, id, contextWindow, maxTokens, reasoning, input } = model;
  const levels = reasoning ? levelsOf(model).filter((level) => level !== 'off') : [];
  return [
    provider,
    id,
    short(contextWindow),
    short(maxTokens),
    levels.length > 1 ? `${levels[0]}–${levels.at(-1)}` : levels.length > 0 ? 'yes' : 'no',
    input.includes('image') ? 'yes' : 'no',
  ];
}

function short(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(2))}M`;
  return tokens >= 1000 ? `${Math.round(tokens / 1000)}K` : String(tokens);
}
