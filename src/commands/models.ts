// Commands that select the model and list the models that can be used.
import { array, object, optional, string } from 'valibot';
import { command } from '../contracts/index.ts';
import { model, thinkingLevel } from '../protocol/index.ts';

export const setModel = command({
  name: 'set_model',
  doc: 'Switch to a model. The choice is stored in the session; a request in progress finishes with the old model. Without `thinkingLevel` the session keeps its level.',
  lane: 'ordered',
  params: object({ provider: string(), modelId: string(), thinkingLevel: optional(thinkingLevel) }),
  result: model,
  examples: [{ provider: 'parley', modelId: 'offline' }],
  async run({ provider, modelId, thinkingLevel: level }, { session }) {
    const selected = await session.models.select(provider, modelId);
    if (level !== undefined) await session.models.setThinkingLevel(level);
    return selected;
  },
});

export const getAvailableModels = command({
  name: 'get_available_models',
  doc: 'The models that can be used now: those with credentials, and the offline model.',
  lane: 'now',
  access: 'read',
  params: object({}),
  result: object({ models: array(model) }),
  run: async (_, { listModels }) => ({ models: [...(await listModels())] }),
});
