// The command that lists all known models, also those that cannot be used.
import { array, boolean, object, optional, string } from 'valibot';
import { command } from '../contracts/index.ts';
import { type Model, model } from '../protocol/index.ts';

/** Without base URL and headers, which can contain a key. */
const FIELDS = [
  'provider',
  'id',
  'name',
  'reasoning',
  'thinkingLevels',
  'input',
  'contextWindow',
  'maxTokens',
  'cost',
] as const;
type Field = (typeof FIELDS)[number];

export const listModels = command({
  name: 'list_models',
  stability: 'experimental',
  doc: 'All known models and providers. `usable` is false for a model that cannot be used now; `reason` says why, and what to do. Every word of `query` must occur in the provider, the id or the name of a model; providers are not filtered. Local model servers are asked only if they are configured. Never contains a key.',
  lane: 'now',
  long: true,
  access: 'read',
  params: object({ query: optional(string()) }),
  result: object({
    models: array(object({ ...pickFields(model.entries), usable: boolean(), reason: optional(string()) })),
    providers: array(object({ id: string(), name: string(), hasCredentials: boolean(), reason: optional(string()) })),
  }),
  examples: [{ query: 'sonnet' }],
  async run({ query = '' }, { loadPorts }) {
    const { models, providers } = await (await loadPorts()).listKnownModels();
    const found = models.filter((known) => matches(known.model, query));
    return {
      models: found.map(({ model: known, reason }) => ({
        ...pickFields(known),
        usable: reason === undefined,
        ...(reason === undefined ? {} : { reason }),
      })),
      providers: providers.map(({ id, name, hasCredentials, reason }) => ({
        ...{ id, name, hasCredentials },
        ...(reason === undefined ? {} : { reason }),
      })),
    };
  },
});

function pickFields<Source extends Partial<Record<Field, unknown>>>(source: Source): Pick<Source, Field> {
  const present = FIELDS.filter((name) => source[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, source[name]])) as Pick<Source, Field>;
}

function matches({ provider, id, name }: Model, query: string): boolean {
  const text = `${provider}/${id} ${name}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
