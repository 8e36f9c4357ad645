// The hall: `parley config`: which settings hold, where each comes from, and how to change the user's own.

import { parseArgs } from 'node:util';
import { Fault, messageOf } from '../../base/index.ts';
import { homeDirectory } from '../home.ts';
import { loadSettings, type Settings, userDirectory } from '../settings.ts';
import { isKnown, settingValue, unknownKey } from '../settings-keys.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey } from '../settings-table.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { decideTrust } from '../trust/decide.ts';
import { settingsReading } from '../trust/settings-reading.ts';
import { table } from './table.ts';

export const CONFIG_HELP = `Usage: parley config [KEY] [--json]      show what holds, and where it comes from
       parley config set KEY VALUE       write it to the user's settings.json
       parley config unset KEY           take it out of there

  --set KEY=VALUE, --trust, --no-trust   show what would hold with these flags
`;

const OPTIONS = {
  json: { type: 'boolean' },
  trust: { type: 'boolean' },
  'no-trust': { type: 'boolean' },
  set: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Returns what is to be printed. */
export async function runConfig(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const { values, positionals } = parse(argv);
  if (values.help) return CONFIG_HELP;
  const [verb, ...rest] = positionals;
  if (verb === 'set' || verb === 'unset') return change(verb, rest);
  if (rest.length > 0) throw surplus(rest[0]);
  const ports = createSystemPorts({});
  const directory = userDirectory(process.env, homeDirectory());
  const { files } = ports;
  const cwd = process.cwd();
  const flags = { trust: values.trust, noTrust: values['no-trust'] };
  const question = { files, agentDirectory: directory, cwd };
  const { trusted } = await decideTrust({ ...question, ...flags });
  const project = trusted ? cwd : undefined;
  const reading = await settingsReading({ ...question, home: homeDirectory(), trusted, report: warn });
  const settings = await loadSettings({ files: reading, directory, project, overrides: values.set });
  for (const problem of settings.problems) warn(problem);
  if (verb !== undefined) return one(known(verb), settings, values.json ?? false);
  return values.json ? all(settings) : listed(settings);
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (thrown) {
    throw new Fault('config', `${messageOf(thrown)}\n\n${CONFIG_HELP}`);
  }
}

function known(key: string): SettingKey {
  if (isKnown(key)) return key;
  throw new Fault('config', `${unknownKey(key).message}; \`parley config\` lists what there is`);
}

function surplus(word = ''): Fault {
  return new Fault('config', `Unexpected word: ${word}\n\n${CONFIG_HELP}`);
}

async function change(verb: 'set' | 'unset', [name = '', ...words]: readonly string[]): Promise<string> {
  const isSet = verb === 'set';
  if (name === '')
    throw new Fault('config', `parley config ${verb} needs a KEY${isSet ? ' and a VALUE' : ''}\n\n${CONFIG_HELP}`);
  const key = known(name);
  if (isSet && words.length === 0) throw new Fault('config', `parley config set ${key} needs a value`);
  if (!isSet && words.length > 0) throw surplus(words[0]);
  const value = isSet ? fittingValue(key, words.join(' ')) : undefined;
  const { writeSettings } = await import('../settings-write.ts');
  const place = { ports: createSystemPorts({}), directory: userDirectory(process.env, homeDirectory()) };
  const file = await writeSettings(place, { [key]: value });
  return value === undefined ? `${key} is not set in ${file}\n` : `${key} = ${JSON.stringify(value)} in ${file}\n`;
}

/** Refused as every other word on the command line is. */
function fittingValue(key: SettingKey, words: string): unknown {
  try {
    return settingValue(key, words);
  } catch (thrown) {
    throw new Fault('config', messageOf(thrown), { cause: thrown });
  }
}

function one(key: SettingKey, { values, origin }: Settings, json: boolean): string {
  const value = values[key] ?? null;
  if (json) return `${JSON.stringify({ key, value, origin: origin[key], doc: SETTINGS[key].doc })}\n`;
  return `${key} = ${JSON.stringify(value)}\nfrom: ${origin[key]}\n${SETTINGS[key].doc}\n`;
}

function all({ values, origin }: Settings): string {
  const entries = SETTING_KEYS.map((key) => [key, { value: values[key] ?? null, origin: origin[key] }] as const);
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

function listed({ values, origin }: Settings): string {
  const rows = SETTING_KEYS.map((key) => [key, JSON.stringify(values[key] ?? null), origin[key]]);
  return table(['setting', 'value', 'from'], rows);
}
