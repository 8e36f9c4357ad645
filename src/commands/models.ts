// Commands for the model and the thinking level.
import { array, boolean, nullable, object, optional, string } from 'valibot';
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

export const cycleModel = command({
  name: 'cycle_model',
  doc: 'Switch to the next of the models given with --models, otherwise of all available models. `null` when there is no other model.',
  lane: 'ordered',
  params: object({}),
  result: nullable(object({ model, thinkingLevel, isScoped: boolean() })),
  run: (_, { session }) => session.models.cycle(),
});

export const getAvailableModels = command({
  name: 'get_available_models',
  doc: 'The models that can be used now: those with credentials, and the offline model.',
  lane: 'now',
  params: object({}),
  result: object({ models: array(model) }),
  run: async (_, { listModels }) => ({ models: [...(await listModels())] }),
});

export const setThinkingLevel = command({
  name: 'set_thinking_level',
  doc: 'Set the thinking level. A level that the model does not support is replaced by the nearest supported one.',
  lane: 'ordered',
  params: object({ level: thinkingLevel }),
  examples: [{ level: 'high' }],
  run: ({ level }, { session }) => session.models.setThinkingLevel(level),
});

export const cycleThinkingLevel = command({
  name: 'cycle_thinking_level',
  doc: 'Switch to the next thinking level of the model, cyclically. `null` when the model does not support thinking.',
  lane: 'ordered',
  params: object({}),
  result: nullable(object({ level: thinkingLevel })),
  async run(_, { session }) {
    const level = await session.models.cycleThinkingLevel();
    return level && { level };
  },
});

export const getAvailableThinkingLevels = command({
  name: 'get_available_thinking_levels',
  doc: 'The thinking levels that the current model supports.',
  lane: 'now',
  params: object({}),
  result: object({ levels: array(thinkingLevel) }),
  run: async (_, { session }) => ({ levels: [...session.models.thinkingLevels] }),
});
