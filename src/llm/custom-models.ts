// First floor, llm: models.json, the providers and models that the user describes. Reads and checks; reaches nobody.
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
import { Fault, isRecord, kindOf, messageOf } from '../base/index.ts';
import { check, type Files } from '../contracts/index.ts';
import { type Model, thinkingLevel } from '../protocol/index.ts';
import { parseJsonc } from './jsonc.ts';
import { findProvider } from './providers/providers.ts';
import { watchedFile } from './watched-file.ts';

const tokens = pipe(number(), integer('must be a whole number'), minValue(1, 'must be 1 or more'));
const price = pipe(number(), minValue(0, 'must be 0 or more'));
const text = pipe(string(), nonEmpty('must not be empty'));
const headers = record(string(), string());
const compat = record(string(), unknown());

/** What may be said of a model that is known already. Names that nobody here knows pass: other programs read the file too. */
const described = {
  name: optional(text),
  api: optional(text),
  baseUrl: optional(text),
  reasoning: optional(boolean()),
  thinkingLevels: optional(array(thinkingLevel)),
  input: optional(array(picklist(['text', 'image']))),
  contextWindow: optional(tokens),
  maxTokens: optional(tokens),
  /** US dollars for a million tokens. */
  cost: optional(partial(object({ input: price, output: price, cacheRead: price, cacheWrite: price }))),
  headers: optional(headers),
  compat: optional(compat),
};
const override = looseObject(described);
const customModel = looseObject({ id: text, ...described });

const customProvider = looseObject({
  baseUrl: optional(text),
  api: optional(text),
  apiKey: optional(text),
  headers: optional(headers),
  /** The key also goes out as `Authorization: Bearer`, whatever the format does with it. */
  authHeader: optional(boolean()),
  compat: optional(compat),
  models: optional(array(customModel)),
  modelOverrides: optional(record(string(), override)),
});

export type CustomProvider = InferOutput<typeof customProvider>;
type Description = InferOutput<typeof override>;

export interface CustomModels {
  readonly path: string;
  /** As the file is now; a provider that makes no sense is left out and told among the problems. */
  read(): Promise<{ providers: ReadonlyMap<string, CustomProvider>; problems: readonly string[] }>;
}

/** How a request to a model differs from what its format does anyway. Values of headers may still be names or commands. */
export interface RequestExtras {
  headers: Readonly<Record<string, string>>;
  compat: Readonly<Record<string, unknown>> | undefined;
  authHeader: boolean;
}

export function createCustomModels(
  files: Pick<Files, 'info' | 'read'>,
  directory: string,
  warn: (sentence: string) => void,
): CustomModels {
  const path = `${directory}/models.json`;
  return watchedFile(files, path, async (content) => {
    const providers = new Map<string, CustomProvider>();
    const problems: string[] = [];
    for (const [name, entry] of await entriesOf(content, path, problems)) {
      try {
        providers.set(name, checked(name, entry));
      } catch (thrown) {
        problems.push(`${path}: ${withoutValues(messageOf(thrown))}; the provider "${name}" is ignored`);
      }
    }
    problems.forEach(warn);
    return { providers, problems };
  });
}

/** A text in the wrong place may be a key. */
function withoutValues(sentence: string): string {
  return sentence.replace(/\(got ".*?"\)/gs, '(got string)');
}

async function entriesOf(content: string | undefined, path: string, problems: string[]): Promise<[string, unknown][]> {
  if (content === undefined || content.trim() === '') return [];
  try {
    const whole = await parseJsonc(content);
    if (!isRecord(whole)) throw new Fault('config', `holds ${kindOf(whole)} where an object is wanted`);
    if (whole.providers === undefined) return [];
    if (isRecord(whole.providers)) return Object.entries(whole.providers);
    throw new Fault('config', `providers must be an object (got ${kindOf(whole.providers)})`);
  } catch (thrown) {
    problems.push(`${path}: ${messageOf(thrown)}; the file is ignored`);
    return [];
  }
}

function checked(name: string, entry: unknown): CustomProvider {
  const schema = object({ providers: object({ [name]: customProvider }) });
  const provider = check(schema, { providers: { [name]: entry } }).providers[name] as CustomProvider;
  const at = `providers.${name}`;
  const known = findProvider(name);
  if (!known && !provider.models) throw new Fault('config', `${at}.models is required, because nobody knows ${name}`);
  for (const [index, model] of (provider.models ?? []).entries()) {
    const here = `${at}.models[${index}]`;
    if (!(model.baseUrl ?? provider.baseUrl ?? known?.baseUrl)) {
      throw new Fault('config', `${at}.baseUrl is required, or ${here}.baseUrl`);
    }
    if (!(model.api ?? provider.api ?? known?.api)) throw new Fault('config', `${at}.api is required, or ${here}.api`);
  }
  return provider;
}

const CONTEXT_WINDOW = 128_000;
const MAX_TOKENS = 16_384;

/** The models that an entry describes itself. `fallback` is where its provider is otherwise. */
export function describedModels(
  name: string,
  entry: CustomProvider,
  fallback: { api: string; baseUrl: string },
): Model[] {
  return (entry.models ?? []).map((model) => {
    const base: Model = {
      id: model.id,
      name: model.id,
      api: entry.api ?? fallback.api,
      provider: name,
      baseUrl: entry.baseUrl ?? fallback.baseUrl,
      reasoning: false,
      input: ['text'],
      contextWindow: CONTEXT_WINDOW,
      maxTokens: Math.min(MAX_TOKENS, model.contextWindow ?? CONTEXT_WINDOW),
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    };
    return redescribed(base, model);
  });
}

/** Headers are left out on purpose: hosts are shown models, and headers may hold keys. */
export function redescribed(model: Model, by: Description): Model {
  const { name, api, baseUrl, reasoning, thinkingLevels, input, contextWindow, maxTokens, cost } = by;
  const said = { name, api, baseUrl, reasoning, thinkingLevels, input, contextWindow, maxTokens };
  const changes = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  return { ...model, ...changes, cost: { ...model.cost, ...cost } };
}

export function extrasFor({ id }: Pick<Model, 'id'>, entry: CustomProvider | undefined): RequestExtras {
  const own: Description = entry?.models?.find((model) => model.id === id) ?? {};
  const changed = entry?.modelOverrides?.[id];
  const compats = [entry?.compat, own.compat, changed?.compat].filter((some) => some !== undefined);
  return {
    headers: { ...entry?.headers, ...own.headers, ...changed?.headers },
    compat: compats.length === 0 ? undefined : Object.assign({}, ...compats),
    authHeader: entry?.authHeader === true,
  };
}
