// First floor, llm: what may stand in models.json, and what is said of the rest. Loaded when there is such a file.
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
import { check } from '../contracts/index.ts';
import { thinkingLevel } from '../protocol/index.ts';
import { parseJsonc } from './jsonc.ts';
import { findProvider } from './providers/providers.ts';

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
export type Description = InferOutput<typeof override>;

export interface Described {
  readonly providers: ReadonlyMap<string, CustomProvider>;
  /** One sentence for each provider that makes no sense and was left out. */
  readonly problems: readonly string[];
}

export async function readDescribed(content: string, path: string): Promise<Described> {
  const providers = new Map<string, CustomProvider>();
  const problems: string[] = [];
  for (const [name, entry] of await entriesOf(content, path, problems)) {
    try {
      providers.set(name, checked(name, entry));
    } catch (thrown) {
      problems.push(`${path}: ${withoutValues(messageOf(thrown))}; the provider "${name}" is ignored`);
    }
  }
  return { providers, problems };
}

/** The same words, said by a program. Throws a Fault that names what is wrong and no value. */
export function describedByCode(name: string, entry: unknown): CustomProvider {
  try {
    return checked(name, entry);
  } catch (thrown) {
    throw new Fault('config', withoutValues(messageOf(thrown)));
  }
}

/** A text in the wrong place may be a key. */
function withoutValues(sentence: string): string {
  const from = sentence.indexOf('(got "');
  const to = sentence.lastIndexOf('")');
  return from < 0 || to < from ? sentence : `${sentence.slice(0, from)}(got string)${sentence.slice(to + 2)}`;
}

async function entriesOf(content: string, path: string, problems: string[]): Promise<[string, unknown][]> {
  if (content.trim() === '') return [];
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
