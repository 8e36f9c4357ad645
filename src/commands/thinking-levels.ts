// Commands for the thinking level, and for switching to the next model.
import { array, boolean, nullable, object } from 'valibot';
import { command } from '../contracts/index.ts';
import { model, thinkingLevel } from '../protocol/index.ts';

export const cycleModel = command({
  name: 'cycle_model',
  doc: 'Switch to the next of the models given with --models, otherwise of all available models. `null` when there is no other model.',
  lane: 'ordered',
  params: object({}),
  result: nullable(object({ model, thinkingLevel, isScoped: boolean() })),
  run: (_, { session }) => session.models.cycle(),
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
  access: 'read',
  params: object({}),
  result: object({ levels: array(thinkingLevel) }),
  run: async (_, { session }) => ({ levels: [...session.models.thinkingLevels] }),
});
