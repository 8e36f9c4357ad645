// First floor, commands: models and how hard they think, for hosts that name a model by its id alone.
import { array, boolean, object, optional, string } from 'valibot';
import { Fault } from '../../base/index.ts';
import { type AgentSession, command } from '../../contracts/index.ts';
import { levelsOf, type Model } from '../../protocol/index.ts';
import { spokenLevel, wantedLevel } from './levels.ts';
import { meantProvider, spokenProvider } from './provider-names.ts';

export const chosenModel = object({ provider: string(), id: string(), thinkingLevel: string() });

export function chosenBy({ models }: AgentSession): { provider: string; id: string; thinkingLevel: string } {
  const { provider = '', id = '' } = models.current ?? {};
  return { provider: spokenProvider(provider), id, thinkingLevel: spokenLevel(models.thinkingLevel) };
}

export const listModels = command({
  name: 'list_models',
  doc: 'The models that can be used now, by id; with `providers` only theirs.',
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
  async run({ providers = [] }, { desk }) {
    const wanted = providers.map(meantProvider);
    const all = (await desk.models()).filter(({ provider }) => wanted.length === 0 || wanted.includes(provider));
    const models = all.map((model) => ({
      id: model.id,
      name: model.name,
      provider: spokenProvider(model.provider),
      supportsThinking: model.reasoning,
      thinkingLevels: [...new Set(levelsOf(model).map(spokenLevel))],
    }));
    return { models: models.sort((a, b) => (a.id < b.id ? -1 : 1)) };
  },
});

export const chooseModel = command({
  name: 'choose_model',
  doc: 'Switch to a model: its id, `provider/id` or `provider:id`. Without a level the session keeps its own.',
  lane: 'ordered',
  params: object({ modelId: string(), thinkingLevel: optional(string()) }),
  result: object({ model: chosenModel }),
  async run({ modelId, thinkingLevel }, { session }) {
    const { provider, id } = named(await session.models.available(), modelId);
    await session.models.choose(provider, id);
    const level = wantedLevel(thinkingLevel);
    if (level !== undefined) await session.models.think(level);
    return { model: chosenBy(session) };
  },
});

/** Ids may hold slashes and colons themselves, so the whole is looked for first. */
function named(models: readonly Model[], wanted: string): Model {
  const found =
    models.find(({ id }) => id === wanted) ??
    models.find(({ provider, id }) =>
      [provider, spokenProvider(provider)].some((name) => [`${name}/${id}`, `${name}:${id}`].includes(wanted)),
    );
  if (found) return found;
  throw new Fault('invalid_params', `Model not found: ${wanted}. models/list names those that can be used.`);
}

export const chooseThinking = command({
  name: 'choose_thinking',
  doc: 'How hard the model thinks: off, low, medium, high or max. A level that the model lacks becomes the nearest one it has.',
  lane: 'ordered',
  params: object({ level: string() }),
  result: object({ thinkingLevel: string() }),
  async run({ level }, { session }) {
    await session.models.think(wantedLevel(level) ?? 'off');
    return { thinkingLevel: spokenLevel(session.models.thinkingLevel) };
  },
});
