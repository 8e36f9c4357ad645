// The hall: the user's settings as Opal's hosts read and write them. Keys of providers pass through, and never come back.
import { join } from 'node:path';
import { Fault, isRecord, kindOf } from '../../base/index.ts';
import { meantProvider, spokenProvider } from '../../commands/desk/provider-names.ts';
import type { Ports } from '../../contracts/index.ts';
import { checkSavedKey } from '../../llm/credentials/key-characters.ts';
import { parseSettings } from '../settings-text.ts';
import { writeSettings } from '../settings-write.ts';

interface Place {
  ports: Pick<Ports, 'files' | 'clock' | 'ids'>;
  directory: string;
}

const PROVIDER_KEY = /^(.+)_api_key$/;
const SECRET = /(api_?key|token|secret|password|passphrase|credentials?|authorization|cookie)$/i;

export async function readUserSettings({ ports, directory }: Place): Promise<Record<string, unknown>> {
  const path = join(directory, 'settings.json');
  const info = await ports.files.info(path);
  const text = info?.kind === 'file' ? new TextDecoder().decode(await ports.files.read(path)) : '';
  const parsed = text.trim() === '' ? {} : await parseSettings(text);
  if (!isRecord(parsed)) throw new Fault('config', `${path} does not hold an object; mend it first`);
  const { defaultProvider, defaultModel } = parsed;
  const known = typeof defaultModel === 'string';
  const model =
    typeof defaultProvider === 'string' ? `${spokenProvider(defaultProvider)}:${defaultModel}` : defaultModel;
  return withoutSecrets({ ...parsed, ...(known ? { default_model: model } : {}) });
}

/** However deep they lie. */
function withoutSecrets<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutSecrets) as T;
  if (!isRecord(value)) return value;
  const harmless = Object.entries(value).filter(([key]) => !SECRET.test(key));
  return Object.fromEntries(harmless.map(([key, inner]) => [key, withoutSecrets(inner)])) as T;
}

/** What is named is changed, the rest stays. `default_model` is `provider:id`, or an id; null removes it. */
export async function saveUserSettings(
  place: Place,
  settings: Readonly<Record<string, unknown>>,
  saveKey: (provider: string, key: string) => Promise<void>,
  expectModel: ExpectModel,
): Promise<void> {
  // Without a prototype: a setting may have any name.
  const changes: Record<string, unknown> = Object.create(null);
  const keys: [provider: string, key: string][] = [];
  for (const [name, value] of Object.entries(settings)) {
    const provider = PROVIDER_KEY.exec(name)?.[1];
    if (provider !== undefined) keys.push([provider, expectKey(name, value)]);
    else if (name === 'default_model') Object.assign(changes, await modelSettings(value, expectModel));
    else if (SECRET.test(name))
      throw new Fault('invalid_params', `${name} is no setting; keys are kept by auth/set_key`);
    else changes[name] = value;
  }
  // First what may be refused.
  if (Object.keys(changes).length > 0) await writeSettings(place, changes);
  for (const [provider, key] of keys) await saveKey(provider, key);
}

/** The value is never quoted: it may be half a key. */
function expectKey(name: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') {
    checkSavedKey(value, name);
    return value;
  }
  const what = typeof value === 'string' ? 'an empty text' : kindOf(value);
  throw new Fault('invalid_params', `${name} must be a key for a provider (got ${what})`);
}

/** Throws a Fault when there is no such model. */
export type ExpectModel = (wanted: { provider: string | undefined; model: string }) => Promise<void>;

async function modelSettings(value: unknown, expectModel: ExpectModel): Promise<Record<string, unknown>> {
  if (value === null) return { defaultProvider: undefined, defaultModel: undefined };
  if (typeof value !== 'string' || value.trim() === '') {
    const got = typeof value === 'string' ? JSON.stringify(value) : kindOf(value);
    throw new Fault('invalid_params', `default_model must be the name of a model, or null (got ${got})`);
  }
  const words = value.trim();
  const [, named, id] = /^([^:/]+):(.+)$/.exec(words) ?? [];
  const provider = named === undefined ? undefined : meantProvider(named);
  await expectModel({ provider, model: id ?? words });
  return { defaultProvider: provider, defaultModel: id ?? words };
}
