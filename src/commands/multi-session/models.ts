// Commands for models and thinking levels. Hosts select a model by its id, with or without the provider.
import { array, boolean, object, optional, string } from 'valibot';
import { Fault } from '../../base/index.ts';
import { type AgentSession, command } from '../../contracts/index.ts';
import { getThinkingLevels, type Model } from '../../protocol/index.ts';
import { decodeProviderName, encodeProviderName } from './provider-names.ts';
import { decodeThinkingLevel, encodeThinkingLevel } from './thinking-levels.ts';

export const selectedModel = object({ provider: string(), id: string(), thinkingLevel: string() });

export function getSelectedModel({ models }: AgentSession): { provider: string; id: string; thinkingLevel: string } {
  const { provider = '', id = '' } = models.current ?? {};
  return { provider: encodeProviderName(provider), id, thinkingLevel: encodeThinkingLevel(models.thinkingLevel) };
}

export const listModels = command({
  name: 'list_models',
  doc: 'The models that can be used now, sorted by id; with `providers`, only the models of these providers.',
  lane: 'now',
  long: true,
  params: object({ providers: optional(array(string())) }),
  result: object({
    models: array(
      object({
        id: string(),
        name: string(),
        provider: string(),
        supportsThinking: boolean(),
        thinkingLevels: array(string()),
      }),
    ),
  }),
  async run({ providers = [] }, { pool }) {
    const providerIds = providers.map(decodeProviderName);
    const matching = (await pool.listModels()).filter(
      ({ provider }) => providerIds.length === 0 || providerIds.includes(provider),
    );
    const models = matching.map((model) => ({
      id: model.id,
      name: model.name,
      provider: encodeProviderName(model.provider),
      supportsThinking: model.reasoning,
      thinkingLevels: [...new Set(getThinkingLevels(model).map(encodeThinkingLevel))],
    }));
    return { models: models.sort((a, b) => (a.id < b.id ? -1 : 1)) };
  },
});

export const chooseModel = command({
  name: 'choose_model',
  doc: 'Switch to a model: its id, `provider/id` or `provider:id`. Without a level the session keeps its own.',
  lane: 'ordered',
  params: object({ modelId: string(), thinkingLevel: optional(string()) }),
  result: object({ model: selectedModel }),
  async run({ modelId, thinkingLevel }, { session }) {
    const { provider, id } = findModel(await session.models.listAvailable(), modelId);
    await session.models.select(provider, id);
    const level = decodeThinkingLevel(thinkingLevel);
    if (level !== undefined) await session.models.setThinkingLevel(level);
    return { model: getSelectedModel(session) };
  },
});

/** Model ids may contain slashes and colons, so the whole text is tried as an id first. */
function findModel(models: readonly Model[], modelId: string): Model {
  const found =
    models.find(({ id }) => id === modelId) ??
    models.find(({ provider, id }) =>
      [provider, encodeProviderName(provider)].some((name) => [`${name}/${id}`, `${name}:${id}`].includes(modelId)),
    );
  if (found) return found;
  throw new Fault('invalid_params', `Model not found: ${modelId}. models/list names those that can be used.`);
}

export const chooseThinking = command({
  name: 'choose_thinking',
  doc: 'Set the thinking level: off, low, medium, high or max. A level that the model does not support is replaced by the nearest supported one.',
  lane: 'ordered',
  params: object({ level: string() }),
  result: object({ thinkingLevel: string() }),
  async run({ level }, { session }) {
    await session.models.setThinkingLevel(decodeThinkingLevel(level) ?? 'off');
    return { thinkingLevel: encodeThinkingLevel(session.models.thinkingLevel) };
  },
});
