// Reads and writes the user's settings for Opal hosts. API keys can be written but are never returned.
import { join } from 'node:path';
import { describeType, Fault, isRecord } from '../../base/index.ts';
import { decodeProviderName, encodeProviderName } from '../../commands/multi-session/provider-names.ts';
import type { Ports } from '../../contracts/index.ts';
import { assertKeyCharacters } from '../../llm/credentials/key-characters.ts';
import { writeSettings } from '../../settings/write-settings.ts';
import { parseJsonc } from '../../support/jsonc.ts';

interface UserSettingsOptions {
  ports: Pick<Ports, 'files' | 'clock' | 'ids'>;
  agentDirectory: string;
}

const PROVIDER_KEY_NAME = /^(.+)_api_key$/;
const SECRET_NAME = /(api_?key|token|secret|password|passphrase|credentials?|authorization|cookie)$/i;

export async function readUserSettings({
  ports,
  agentDirectory,
}: UserSettingsOptions): Promise<Record<string, unknown>> {
  const path = join(agentDirectory, 'settings.json');
  const info = await ports.files.info(path);
  const text = info?.kind === 'file' ? new TextDecoder().decode(await ports.files.read(path)) : '';
  const parsed = text.trim() === '' ? {} : await parseJsonc(text);
  if (!isRecord(parsed)) throw new Fault('config', `${path} does not contain a JSON object. Fix the file first.`);
  const { defaultProvider, defaultModel } = parsed;
  const hasDefaultModel = typeof defaultModel === 'string';
  const model =
    typeof defaultProvider === 'string' ? `${encodeProviderName(defaultProvider)}:${defaultModel}` : defaultModel;
  return removeSecrets({ ...parsed, ...(hasDefaultModel ? { default_model: model } : {}) });
}

/** Removes secrets at any depth. */
function removeSecrets<T>(value: T): T {
  if (Array.isArray(value)) return value.map(removeSecrets) as T;
  if (!isRecord(value)) return value;
  const publicEntries = Object.entries(value).filter(([key]) => !SECRET_NAME.test(key));
  return Object.fromEntries(publicEntries.map(([key, inner]) => [key, removeSecrets(inner)])) as T;
}

/** Changes only the settings that are passed. `default_model` is `provider:id`, or an id; null removes it. */
export async function saveUserSettings(
  options: UserSettingsOptions,
  settings: Readonly<Record<string, unknown>>,
  saveKey: (provider: string, key: string) => Promise<void>,
  checkDefaultModel: CheckDefaultModel,
): Promise<void> {
  // Without a prototype, because a setting may have any name, also `__proto__`.
  const changes: Record<string, unknown> = Object.create(null);
  const keys: [provider: string, key: string][] = [];
  for (const [name, value] of Object.entries(settings)) {
    const provider = PROVIDER_KEY_NAME.exec(name)?.[1];
    if (provider !== undefined) keys.push([provider, checkProviderKey(name, value)]);
    else if (name === 'default_model') Object.assign(changes, await parseDefaultModel(value, checkDefaultModel));
    else if (SECRET_NAME.test(name))
      throw new Fault('invalid_params', `${name} is no setting; keys are kept by auth/set_key`);
    else changes[name] = value;
  }
  // Before the keys, because the settings may be refused.
  if (Object.keys(changes).length > 0) await writeSettings(options, changes);
  for (const [provider, key] of keys) await saveKey(provider, key);
}

/** The error never contains the value, because it may be part of a key. */
function checkProviderKey(name: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') {
    assertKeyCharacters(value, name);
    return value;
  }
  const received = typeof value === 'string' ? 'an empty text' : describeType(value);
  throw new Fault('invalid_params', `${name} must be a key for a provider (got ${received})`);
}

/** Throws a Fault when there is no such model. */
export type CheckDefaultModel = (requested: { provider: string | undefined; model: string }) => Promise<void>;

async function parseDefaultModel(
  value: unknown,
  checkDefaultModel: CheckDefaultModel,
): Promise<Record<string, unknown>> {
  if (value === null) return { defaultProvider: undefined, defaultModel: undefined };
  if (typeof value !== 'string' || value.trim() === '') {
    const got = typeof value === 'string' ? JSON.stringify(value) : describeType(value);
    throw new Fault('invalid_params', `default_model must be the name of a model, or null (got ${got})`);
  }
  const text = value.trim();
  const [, providerName, id] = /^([^:/]+):(.+)$/.exec(text) ?? [];
  const provider = providerName === undefined ? undefined : decodeProviderName(providerName);
  await checkDefaultModel({ provider, model: id ?? text });
  return { defaultProvider: provider, defaultModel: id ?? text };
}
