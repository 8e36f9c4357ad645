// `parley config`: shows the settings in effect and where each comes from, and changes the user's settings file.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault, getErrorMessage } from '../../base/index.ts';
import {
  isSettingKey,
  type LoadedSettings,
  parseSettingValue,
  resolveAgentDirectory,
  SETTING_KEYS,
  type SettingKey,
} from '../../settings/index.ts';
import { SETTING_DOCS } from '../../settings/setting-docs.ts';
import { createUnknownKeyFault } from '../../settings/unknown-keys.ts';
import { homeDirectory } from '../../support/home-directory.ts';
import { loadProjectSettings } from '../../trust/index.ts';
import { removeSecrets } from '../remove-secrets.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { formatTable } from './format-table.ts';
import { parseWithHelp } from './parse-with-help.ts';

export const CONFIG_HELP = `Usage: parley config [list] [--json]       show the settings in effect and where each comes from
       parley config [get] KEY [--json]    show one setting
       parley config set KEY VALUE         write it to the user's settings.json
       parley config unset KEY             remove it from that file
       parley config path                  print the path of that file

  --set KEY=VALUE, --trust, --no-trust     show the settings as they would be with these flags

Examples:
  parley config
  parley config list --json
  parley config get retry.maxRetries
  parley config set retry.maxRetries 5
  parley config unset retry.maxRetries
`;

const OPTIONS = {
  json: { type: 'boolean' },
  trust: { type: 'boolean' },
  'no-trust': { type: 'boolean' },
  set: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Returns the text to print. */
export async function runConfig(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const { values, positionals } = parse(argv);
  if (values.help) return CONFIG_HELP;
  const [verb, ...rest] = positionals;
  if (verb === 'set' || verb === 'unset') return changeSetting(verb, rest);
  const { key, extra } = parseQuery(positionals);
  if (extra !== undefined) throw createUnexpectedArgumentFault(extra);
  if (verb === 'path') return `${join(resolveAgentDirectory(process.env, homeDirectory()), 'settings.json')}\n`;
  const settings = await loadProjectSettings({
    files: createSystemPorts({}).files,
    agentDirectory: resolveAgentDirectory(process.env, homeDirectory()),
    cwd: process.cwd(),
    home: homeDirectory(),
    flags: { trust: values.trust, noTrust: values['no-trust'], set: values.set },
    isLenient: true,
    warn,
  });
  if (key !== undefined) return formatOne(requireKey(key), settings, values.json ?? false);
  return values.json ? formatJson(settings) : formatList(settings);
}

function parse(argv: readonly string[]) {
  return parseWithHelp(CONFIG_HELP, () => parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }));
}

/** `list`, `path`, `get KEY` or `KEY`. `extra` is the first argument that is not used. */
function parseQuery([verb, ...rest]: readonly string[]): { key?: string | undefined; extra?: string | undefined } {
  if (verb === 'list' || verb === 'path') return { extra: rest[0] };
  if (verb !== 'get') return { key: verb, extra: rest[0] };
  if (rest[0] === undefined) throw new Fault('config', `parley config get needs a KEY\n\n${CONFIG_HELP}`);
  return { key: rest[0], extra: rest[1] };
}

function requireKey(key: string): SettingKey {
  if (isSettingKey(key)) return key;
  throw new Fault('config', `${createUnknownKeyFault(key).message}; \`parley config\` lists all settings`);
}

function createUnexpectedArgumentFault(argument = ''): Fault {
  return new Fault('config', `Unexpected argument: ${argument}\n\n${CONFIG_HELP}`);
}

async function changeSetting(verb: 'set' | 'unset', [name = '', ...values]: readonly string[]): Promise<string> {
  const isSet = verb === 'set';
  if (name === '')
    throw new Fault('config', `parley config ${verb} needs a KEY${isSet ? ' and a VALUE' : ''}\n\n${CONFIG_HELP}`);
  const key = requireKey(name);
  if (isSet && values.length === 0) throw new Fault('config', `parley config set ${key} needs a value`);
  if (!isSet && values.length > 0) throw createUnexpectedArgumentFault(values[0]);
  const value = isSet ? parseValue(key, values.join(' ')) : undefined;
  const { writeSettings } = await import('../../settings/write-settings.ts');
  const options = { ports: createSystemPorts({}), agentDirectory: resolveAgentDirectory(process.env, homeDirectory()) };
  const file = await writeSettings(options, { [key]: value });
  return value === undefined
    ? `${key} is no longer set in ${file}\n`
    : `${key} = ${JSON.stringify(removeSecrets(value))} in ${file}\n`;
}

/** Throws a Fault for an invalid value, like for every other invalid argument. */
function parseValue(key: SettingKey, text: string): unknown {
  try {
    return parseSettingValue(key, text);
  } catch (thrown) {
    throw new Fault('config', getErrorMessage(thrown), { cause: thrown });
  }
}

function formatOne(key: SettingKey, { values, origin }: LoadedSettings, json: boolean): string {
  const value = removeSecrets(values[key] ?? null);
  const doc = SETTING_DOCS[key];
  if (json) return `${JSON.stringify({ key, value, origin: origin[key], doc, description: doc })}\n`;
  return `${key} = ${JSON.stringify(value)}\nfrom: ${origin[key]}\n${doc}\n`;
}

function formatJson({ values, origin }: LoadedSettings): string {
  const entries = SETTING_KEYS.map((key) => {
    const entry = { value: removeSecrets(values[key] ?? null), origin: origin[key], description: SETTING_DOCS[key] };
    return [key, entry] as const;
  });
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

function formatList({ values, origin }: LoadedSettings): string {
  const rows = SETTING_KEYS.map((key) => [key, JSON.stringify(removeSecrets(values[key] ?? null)), origin[key]]);
  return formatTable(['setting', 'value', 'from'], rows);
}
