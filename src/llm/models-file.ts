// Schema and validation of models.json. Loaded only when the file exists.
import {
  array,
  boolean,
  type InferOutput,
  integer,
  looseObject,
  minValue,
  nonEmpty,
  number,
  object,
  optional,
  partial,
  picklist,
  pipe,
  record,
  string,
  unknown,
} from 'valibot';
import { describeType, Fault, getErrorMessage, isRecord } from '../base/index.ts';
import { validate } from '../contracts/index.ts';
import { thinkingLevel } from '../protocol/index.ts';
import { parseJsonc } from '../support/jsonc.ts';
import { findProvider } from './providers/providers.ts';

const tokenCount = pipe(number(), integer('must be a whole number'), minValue(1, 'must be 1 or more'));
const price = pipe(number(), minValue(0, 'must be 0 or more'));
const nonEmptyString = pipe(string(), nonEmpty('must not be empty'));
const headers = record(string(), string());
const compat = record(string(), unknown());

/** Fields of a model. Unknown fields are accepted, because other programs read the same file. */
const modelFields = {
  name: optional(nonEmptyString),
  api: optional(nonEmptyString),
  baseUrl: optional(nonEmptyString),
  reasoning: optional(boolean()),
  thinkingLevels: optional(array(thinkingLevel)),
  input: optional(array(picklist(['text', 'image']))),
  contextWindow: optional(tokenCount),
  maxTokens: optional(tokenCount),
  /** US dollars for a million tokens. */
  cost: optional(partial(object({ input: price, output: price, cacheRead: price, cacheWrite: price }))),
  headers: optional(headers),
  compat: optional(compat),
};
const modelOverride = looseObject(modelFields);
const customModel = looseObject({ id: nonEmptyString, ...modelFields });

const customProvider = looseObject({
  baseUrl: optional(nonEmptyString),
  api: optional(nonEmptyString),
  apiKey: optional(nonEmptyString),
  headers: optional(headers),
  /** Also send the key as `Authorization: Bearer`, in addition to what the wire format does with it. */
  authHeader: optional(boolean()),
  compat: optional(compat),
  models: optional(array(customModel)),
  modelOverrides: optional(record(string(), modelOverride)),
});

export type CustomProvider = InferOutput<typeof customProvider>;
export type ModelOverride = InferOutput<typeof modelOverride>;

export interface CustomProviders {
  readonly providers: ReadonlyMap<string, CustomProvider>;
  /** One sentence for each provider that is invalid and was left out. */
  readonly problems: readonly string[];
}

export async function parseModelsFile(content: string, path: string): Promise<CustomProviders> {
  const providers = new Map<string, CustomProvider>();
  const problems: string[] = [];
  for (const [name, entry] of await readProviderEntries(content, path, problems)) {
    try {
      providers.set(name, parseProvider(name, entry));
    } catch (thrown) {
      problems.push(`${path}: ${removeQuotedValue(getErrorMessage(thrown))}; the provider "${name}" is ignored`);
    }
  }
  return { providers, problems };
}

/** Validates a provider that an extension defines. The Fault names the invalid field but no value. */
export function parseProviderFromCode(name: string, entry: unknown): CustomProvider {
  try {
    return parseProvider(name, entry);
  } catch (thrown) {
    throw new Fault('config', removeQuotedValue(getErrorMessage(thrown)));
  }
}

/** A string in the wrong field may be a key. */
function removeQuotedValue(sentence: string): string {
  const from = sentence.indexOf('(got "');
  const to = sentence.lastIndexOf('")');
  return from < 0 || to < from ? sentence : `${sentence.slice(0, from)}(got string)${sentence.slice(to + 2)}`;
}

async function readProviderEntries(content: string, path: string, problems: string[]): Promise<[string, unknown][]> {
  if (content.trim() === '') return [];
  try {
    const document = await parseJsonc(content);
    if (!isRecord(document))
      throw new Fault('config', `contains ${describeType(document)} where an object is expected`);
    if (document.providers === undefined) return [];
    if (isRecord(document.providers)) return Object.entries(document.providers);
    throw new Fault('config', `providers must be an object (got ${describeType(document.providers)})`);
  } catch (thrown) {
    problems.push(`${path}: ${getErrorMessage(thrown)}; the file is ignored`);
    return [];
  }
}

function parseProvider(name: string, entry: unknown): CustomProvider {
  const schema = object({ providers: object({ [name]: customProvider }) });
  const provider = validate(schema, { providers: { [name]: entry } }).providers[name] as CustomProvider;
  const providerPath = `providers.${name}`;
  const builtIn = findProvider(name);
  if (!builtIn && !provider.models)
    throw new Fault('config', `${providerPath}.models is required, because ${name} is not a built-in provider`);
  for (const [index, model] of (provider.models ?? []).entries()) {
    const modelPath = `${providerPath}.models[${index}]`;
    // The URL of a built-in provider may come from the environment.
    if (!(model.baseUrl ?? provider.baseUrl ?? builtIn)) {
      throw new Fault('config', `${providerPath}.baseUrl is required, or ${modelPath}.baseUrl`);
    }
    if (!(model.api ?? provider.api ?? builtIn?.api))
      throw new Fault('config', `${providerPath}.api is required, or ${modelPath}.api`);
  }
  return provider;
}
