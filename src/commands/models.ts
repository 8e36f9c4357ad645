// First floor, commands: which model answers, and how hard it thinks.
import { array, boolean, nullable, object, string } from 'valibot';
import { command } from '../contracts/index.ts';
import { model, thinkingLevel } from '../protocol/index.ts';

export const setModel = command({
  name: 'set_model',
  doc: 'Switch to a model. The session remembers it; a request that is under way finishes with the old one.',
  lane: 'ordered',
  params: object({ provider: string(), modelId: string() }),
  result: model,
  examples: [{ provider: 'parley', modelId: 'offline' }],
  run: ({ provider, modelId }, { session }) => session.models.choose(provider, modelId),
});

export const cycleModel = command({
  name: 'cycle_model',
  doc: 'Switch to the next model: of those named with --models, otherwise of all that can be used. `null` when there is no other.',
  lane: 'ordered',
  params: object({}),
  result: nullable(object({ model, thinkingLevel, isScoped: boolean() })),
  run: (_, { session }) => session.models.cycle(),
});

export const getAvailableModels = command({
  name: 'get_available_models',
  doc: 'The models that can be used now: those with credentials, and the offline one.',
  lane: 'now',
  params: object({}),
  result: object({ models: array(model) }),
  run: async (_, { session }) => ({ models: [...(await session.models.available())] }),
});

export const setThinkingLevel = command({
  name: 'set_thinking_level',
  doc: 'How hard the model thinks. A level that the model lacks becomes the nearest one it has.',
  lane: 'ordered',
  params: object({ level: thinkingLevel }),
  examples: [{ level: 'high' }],
  run: ({ level }, { session }) => session.models.think(level),
});

export const cycleThinkingLevel = command({
  name: 'cycle_thinking_level',
  doc: 'The next level that the model understands, round and round. `null` when it does not think.',
  lane: 'ordered',
  params: object({}),
  result: nullable(object({ level: thinkingLevel })),
  async run(_, { session }) {
    const level = await session.models.cycleThinking();
    return level && { level };
  },
});

export const getAvailableThinkingLevels = command({
  name: 'get_available_thinking_levels',
  doc: 'The levels that the current model understands.',
  lane: 'now',
  params: object({}),
  result: object({ levels: array(thinkingLevel) }),
  run: async (_, { session }) => ({ levels: [...session.models.thinkingLevels] }),
});
