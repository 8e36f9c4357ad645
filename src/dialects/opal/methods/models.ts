// models/list, model/set and thinking/set. Hosts select a model by its id, with or without the provider.
import { array, boolean, object, optional, string } from 'valibot';
import type { AgentSession } from '../../../contracts/index.ts';
import { getThinkingLevels, type Model } from '../../../protocol/index.ts';
import { createInvalidParamsFault } from '../errors.ts';
import { type OpalMethod, processMethod, sessionMethod } from '../method.ts';
import { decodeProviderId, encodeProviderId } from '../provider-ids.ts';
import { decodeThinkingLevel, encodeThinkingLevel } from '../thinking-levels.ts';

export const selectedModel = object({ provider: string(), id: string(), thinking_level: string() });

export function getSelectedModel({ models }: AgentSession) {
  const { provider = '', id = '' } = models.current ?? {};
  return { provider: encodeProviderId(provider), id, thinking_level: encodeThinkingLevel(models.thinkingLevel) };
}

export const modelMethods: Record<string, OpalMethod> = {
  'models/list': processMethod({
    command: 'get_available_models',
    doc: 'The models that can be used now, sorted by id; with `providers`, only the models of these providers.',
    isLong: true,
    params: { providers: optional(array(string())) },
    result: object({
      models: array(
        object({
          id: string(),
          name: string(),
          provider: string(),
          supports_thinking: boolean(),
          thinking_levels: array(string()),
        }),
      ),
    }),
    toParams: () => ({}),
    toResult: ({ models }: { models: readonly Model[] }, { params: { providers = [] } }) =>
      buildModelList(models, providers.map(decodeProviderId)),
  }),
  'model/set': sessionMethod({
    command: 'set_model',
    doc: 'Switch to a model: its id, `provider/id` or `provider:id`. Without a level the session keeps its own.',
    params: { model_id: string(), thinking_level: optional(string()) },
    result: object({ model: selectedModel }),
    async toParams({ model_id, thinking_level }, { session }) {
      const { provider, id } = findModel(await session.models.listAvailable(), model_id);
      const level = thinking_level === undefined ? {} : { thinkingLevel: decodeThinkingLevel(thinking_level) };
      return { provider, modelId: id, ...level };
    },
    toResult: (_: Model, { call: { session } }) => ({ model: getSelectedModel(session) }),
  }),
  'thinking/set': sessionMethod({
    command: 'set_thinking_level',
    doc: 'Set the thinking level: off, low, medium, high or max. A level that the model does not support is replaced by the nearest supported one.',
    params: { level: string() },
    result: object({ thinking_level: string() }),
    toParams: ({ level }) => ({ level: decodeThinkingLevel(level) }),
    toResult: (_: undefined, { call: { session } }) => ({
      thinking_level: encodeThinkingLevel(session.models.thinkingLevel),
    }),
  }),
};

function buildModelList(models: readonly Model[], providers: readonly string[]) {
  const rows = models
    .filter(({ provider }) => providers.length === 0 || providers.includes(provider))
    .map((model) => ({
      id: model.id,
      name: model.name,
      provider: encodeProviderId(model.provider),
      supports_thinking: model.reasoning,
      thinking_levels: [...new Set(getThinkingLevels(model).map(encodeThinkingLevel))],
    }));
  return { models: rows.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

/**
 * Model ids may contain slashes and colons, so the whole text is tried as an id first. Any id of a provider that can be used
 * is accepted.
 */
function findModel(models: readonly Model[], modelId: string): Pick<Model, 'provider' | 'id'> {
  const found =
    models.find(({ id }) => id === modelId) ??
    models.find(({ provider, id }) =>
      [provider, encodeProviderId(provider)].some((name) => [`${name}/${id}`, `${name}:${id}`].includes(modelId)),
    );
  if (found) return found;
  for (const { provider } of models) {
    const prefix = [provider, encodeProviderId(provider)].find((name) => /^[/:]./.test(removePrefix(modelId, name)));
    if (prefix !== undefined) return { provider, id: modelId.slice(prefix.length + 1) };
  }
  throw createInvalidParamsFault(`Model not found: ${modelId}. models/list names those that can be used.`);
}

/** Empty when the text does not start with the prefix. */
function removePrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : '';
}
