// settings/*: the user's settings. Opal writes the default model as `provider:id` and keys as `<provider>_api_key`.
import { object, record, string, unknown } from 'valibot';
import { describeType } from '../../../base/index.ts';
import type { SettingChanges } from '../../../contracts/index.ts';
import { createInvalidParamsFault } from '../errors.ts';
import { type OpalMethod, processMethod } from '../method.ts';
import { decodeProviderId, encodeProviderId } from '../provider-ids.ts';
import { checkSettingsParam } from './param-checks.ts';

const PROVIDER_KEY_NAME = /^(.+)_api_key$/;

const settings = record(string(), unknown());

export const settingsMethods: Record<string, OpalMethod> = {
  'settings/get': processMethod({
    command: 'get_user_settings',
    result: object({ settings }),
    toResult: encodeSettings,
  }),
  'settings/save': processMethod({
    command: 'save_user_settings',
    doc: 'Change some of the user settings; the others stay as they are. An API key of a provider is saved with the credentials, not in the settings file.',
    params: { settings },
    result: object({ settings }),
    checkParams: checkSettingsParam,
    failureMessage: 'Failed to save settings',
    rewriteMessage: (message) =>
      message
        .replace(/^defaultModel: /, 'default_model: ')
        .replace(/^apiKeys\.(\S+)/, '$1_api_key')
        .replace('`parley models`', 'models/list')
        .replace('save_key', 'auth/set_key'),
    toParams: ({ settings: changes }) => decodeSettings(changes),
    toResult: encodeSettings,
  }),
};

function encodeSettings({ settings: values }: { settings: Record<string, unknown> }) {
  const { defaultProvider, defaultModel } = values;
  if (typeof defaultModel !== 'string') return { settings: values };
  const provider = typeof defaultProvider === 'string' ? `${encodeProviderId(defaultProvider)}:` : '';
  return { settings: { ...values, default_model: `${provider}${defaultModel}` } };
}

function decodeSettings(changes: Readonly<Record<string, unknown>>): SettingChanges {
  // Without a prototype, because a setting may have any name, also `__proto__`.
  const plain: Record<string, unknown> = Object.create(null);
  const apiKeys: Record<string, string> = Object.create(null);
  const remove: string[] = [];
  for (const [name, value] of Object.entries(changes)) {
    const provider = PROVIDER_KEY_NAME.exec(name)?.[1];
    if (provider !== undefined) apiKeys[provider] = checkProviderKey(name, value);
    else if (name !== 'default_model') plain[name] = value;
    else if (value === null) remove.push('defaultProvider', 'defaultModel');
    else {
      const { provider: defaultProvider, model } = parseDefaultModel(value);
      if (defaultProvider === undefined) remove.push('defaultProvider');
      else plain.defaultProvider = defaultProvider;
      plain.defaultModel = model;
    }
  }
  return { settings: plain, remove, apiKeys };
}

/** The error never contains the value, because it may be part of a key. */
function checkProviderKey(name: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  const received = typeof value === 'string' ? 'an empty text' : describeType(value);
  throw createInvalidParamsFault(`${name} must be a key for a provider (got ${received})`);
}

/** `provider:id`, or an id. */
function parseDefaultModel(value: unknown): { provider: string | undefined; model: string } {
  if (typeof value !== 'string' || value.trim() === '') {
    const received = typeof value === 'string' ? JSON.stringify(value) : describeType(value);
    throw createInvalidParamsFault(`default_model must be the name of a model, or null (got ${received})`);
  }
  const text = value.trim();
  const [, provider, id] = /^([^:/]+):(.+)$/.exec(text) ?? [];
  return { provider: provider === undefined ? undefined : decodeProviderId(provider), model: id ?? text };
}
