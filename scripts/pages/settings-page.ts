// Generates the page and the JSON Schema of the settings from src/settings/settings-table.ts.
import { toJsonSchema } from '@valibot/to-json-schema';
import { SETTING_DOCS } from '../../src/settings/setting-docs.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey } from '../../src/settings/settings-table.ts';
import type { JsonSchema } from './json-schema.ts';
import { page } from './markdown.ts';
import { inCell, tableOf, typeText } from './type-text.ts';

const fields = new Map<string, JsonSchema>(
  SETTING_KEYS.map((key) => {
    const { $schema: _, ...schema } = toJsonSchema(SETTINGS[key].schema, { errorMode: 'ignore' }) as JsonSchema;
    const { default: value } = SETTINGS[key];
    return [key, { description: SETTING_DOCS[key], ...schema, ...(value === undefined ? {} : { default: value }) }];
  }),
);

export function settingsPage(): string {
  const rows = [...fields].map(([key, field]) => {
    const value = field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``;
    return [
      `\`${key}\``,
      `\`${inCell(typeText(field))}\``,
      value,
      inCell(field.description ?? ''),
      describeProject(key),
    ];
  });
  return page(
    '# Settings',
    'Settings are read from these sources. A source overrides the ones below it:',
    [
      '1. flags: `--set KEY=VALUE` for any key (may be repeated), and [flags of single settings](flags.md) such as `--dialect`;',
      '2. files of the project, if it is [trusted](../trust.md): `.parley/settings.json`, then `.pi/settings.json`, then `.omp/settings.json` in the working directory. The last two belong to other programs, so unknown keys in them are ignored. A project can only restrict: see the column “project”;',
      '3. the file of the user: `settings.json` in the user directory (`~/.parley`, or `PARLEY_DIR`);',
      '4. the defaults.',
    ].join('\n'),
    'Settings are read at start. Comments and trailing commas are allowed. `{ "retry": { "enabled": false } }` and `{ "retry.enabled": false }` are equivalent. Lists and profiles are replaced, not merged, except where the column “project” says so. An invalid value or an unknown key is ignored and reported on stderr with file, line and the most similar name; if it may restrict something, Parley does not start. `null` means not set. `parley config` shows the settings in use and their sources; `parley config set KEY VALUE` changes the file of the user.',
    tableOf(['setting', 'type', 'default', '', 'project'], rows),
  );
}

/** What the value of a trusted project does. Empty: it replaces that of the user. */
function describeProject(key: string): string {
  const rule = SETTINGS[key as SettingKey].fromProject;
  if (rule === undefined) return '';
  if (Array.isArray(rule)) return 'the stricter value is used';
  const texts = {
    ignore: 'ignored',
    add: 'added',
    accumulate: 'added, also with `--set`',
    'accumulate-if-allowed': 'ignored without `permissions.allowProjectRules`',
    smaller: 'the smaller value is used',
  };
  return texts[rule as keyof typeof texts];
}

function nest(properties: Record<string, JsonSchema>, [group, ...rest]: readonly string[], field: JsonSchema): void {
  if (group === undefined) return;
  if (rest.length === 0) {
    properties[group] = field;
    return;
  }
  const existing = properties[group];
  // A setting that has a value and is also a group: the schema describes the value here, and the group by its dotted keys.
  if (existing && existing.type !== 'object') return;
  const inner = { ...existing?.properties };
  nest(inner, rest, field);
  properties[group] = { ...existing, type: 'object', properties: inner };
}

/** Describes both forms of a key: dotted (`"retry.enabled"`) and nested. */
export function settingsSchema(): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const [key, field] of fields) {
    if (key.includes('.')) properties[key] = field;
    nest(properties, key.split('.'), field);
  }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Parley settings',
    description: 'The file settings.json of a user or of a project.',
    type: 'object',
    properties,
  };
}
