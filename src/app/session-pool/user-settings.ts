// Reads and writes the user's settings file for hosts. API keys can be written but are never returned.
import { join } from 'node:path';
import { Fault, isRecord } from '../../base/index.ts';
import type { Ports, SettingChanges, UserSettings } from '../../contracts/index.ts';
import { assertKeyCharacters } from '../../llm/credentials/key-characters.ts';
import { writeSettings } from '../../settings/write-settings.ts';
import { parseJsonc } from '../../support/jsonc.ts';
import { removeSecrets, SECRET_NAME } from '../remove-secrets.ts';

export interface UserSettingsOptions {
  readonly ports: Pick<Ports, 'files' | 'clock' | 'ids'>;
  readonly agentDirectory: string;
  saveKey(provider: string, key: string): Promise<void>;
  /** Throws a Fault when there is no such model. */
  checkDefaultModel(requested: { provider: string | undefined; model: string }): Promise<void>;
}

export function createUserSettings(options: UserSettingsOptions): UserSettings {
  return {
    read: () => readSettings(options),
    save: (changes) => saveSettings(options, changes),
  };
}

async function readSettings({ ports, agentDirectory }: UserSettingsOptions): Promise<Record<string, unknown>> {
  const path = join(agentDirectory, 'settings.json');
  const info = await ports.files.info(path);
  const text = info?.kind === 'file' ? new TextDecoder().decode(await ports.files.read(path)) : '';
  const parsed = text.trim() === '' ? {} : await parseJsonc(text, path);
  if (!isRecord(parsed)) throw new Fault('config', `${path} does not contain a JSON object. Fix the file first.`);
  return removeSecrets(parsed);
}

async function saveSettings(
  options: UserSettingsOptions,
  { settings, remove = [], apiKeys = {} }: SettingChanges,
): Promise<void> {
  for (const [provider, key] of Object.entries(apiKeys)) assertKeyCharacters(key, `apiKeys.${provider}`);
  const secretName = Object.keys(settings).find((name) => SECRET_NAME.test(name));
  if (secretName !== undefined) {
    throw new Fault('invalid_params', `${secretName} is no setting; keys are kept by save_key`);
  }
  const { defaultProvider, defaultModel } = settings;
  if (typeof defaultModel === 'string') {
    const provider = typeof defaultProvider === 'string' ? defaultProvider : undefined;
    await options.checkDefaultModel({ provider, model: defaultModel });
  }
  // Without a prototype, because a setting may have any name, also `__proto__`.
  const changes: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(settings)) changes[name] = value;
  for (const name of remove) changes[name] = undefined;
  // Before the keys, because the settings may be refused.
  if (Object.keys(changes).length > 0) await writeSettings(options, changes);
  for (const [provider, key] of Object.entries(apiKeys)) await options.saveKey(provider, key);
}
