// The hall, terminal: /model and /thinking.
import { Fault } from '../../base/index.ts';
import type { Model } from '../../protocol/index.ts';
import type { Room, SlashCommand } from './command.ts';

const OFFLINE = /^(parley\/)?offline$/i;

export const model: SlashCommand = {
  name: 'model',
  takes: '[NAME]',
  doc: 'Choose the model that answers',
  words: async (room) => (await available(room)).map(spelled),
  async run(args, room) {
    const models = await available(room);
    const listed = models.filter((one) => spelled(one).toLowerCase().includes(args.toLowerCase()));
    // The offline model is not listed beside others, and can be named all the same.
    const fitting: readonly Named[] =
      listed.length === 0 && OFFLINE.test(args) ? [{ provider: 'parley', id: 'offline' }] : listed;
    if (fitting.length === 0)
      throw new Fault('not_found', `No model that can be used is called ${args}; /model lists them.`);
    const exact = fitting.find((one) => spelled(one) === args || one.id === args);
    const chosen = exact ?? (args !== '' && fitting.length === 1 ? fitting[0] : await chosenOf(fitting, room));
    if (!chosen) return;
    await room.client.call('set_model', { provider: chosen.provider, modelId: chosen.id });
    await room.refresh();
    room.say(`${spelled(chosen)} answers from here on.`);
  },
};

export const thinking: SlashCommand = {
  name: 'thinking',
  takes: '[LEVEL]',
  doc: 'Choose how hard the model thinks',
  words: async (room) => (await room.client.call('get_available_thinking_levels')).levels,
  async run(args, room) {
    const { levels } = await room.client.call('get_available_thinking_levels');
    const at = Math.max(0, levels.indexOf(room.state.thinkingLevel));
    const wanted = args || (await room.choose('How hard shall the model think?', levels.map(plainChoice), at));
    const level = levels.find((one) => one === wanted);
    if (wanted === undefined) return;
    if (!level) throw new Fault('invalid_params', `${wanted} is no level of this model; it has ${levels.join(', ')}.`);
    await room.client.call('set_thinking_level', { level });
    await room.refresh();
    room.say(`Thinking: ${room.state.thinkingLevel}`);
  },
};

function plainChoice(value: string) {
  return { value, label: value };
}

async function available({ client }: Room): Promise<readonly Model[]> {
  return (await client.call('get_available_models')).models;
}

function spelled({ provider, id }: Pick<Model, 'provider' | 'id'>): string {
  return `${provider}/${id}`;
}

type Named = Pick<Model, 'provider' | 'id'> & Partial<Pick<Model, 'name'>>;

async function chosenOf(models: readonly Named[], room: Room): Promise<Named | undefined> {
  const now = room.state.model && spelled(room.state.model);
  const choices = models.map((one) => ({ value: spelled(one), label: spelled(one), doc: one.name }));
  const at = Math.max(
    0,
    choices.findIndex(({ value }) => value === now),
  );
  const value = await room.choose('Which model shall answer?', choices, at);
  return models.find((one) => spelled(one) === value);
}
