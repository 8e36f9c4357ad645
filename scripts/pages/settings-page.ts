// Documents: the settings as a page and as a JSON Schema for editors, from the table in src/app.
import { toJsonSchema } from '@valibot/to-json-schema';
import { SETTING_KEYS, SETTINGS } from '../../src/app/settings-table.ts';
import type { JsonSchema } from './json-schema.ts';
import { page } from './markdown.ts';
import { inCell, tableOf, typeText } from './type-text.ts';

const fields = new Map<string, JsonSchema>(
  SETTING_KEYS.map((key) => {
    const { $schema: _, ...schema } = toJsonSchema(SETTINGS[key].schema) as JsonSchema;
    const { doc, default: value } = SETTINGS[key];
    return [key, { description: doc, ...schema, ...(value === undefined ? {} : { default: value }) }];
  }),
);

export function settingsPage(): string {
  const rows = [...fields].map(([key, field]) => {
    const value = field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``;
    return [`\`${key}\``, `\`${inCell(typeText(field))}\``, value, inCell(field.description ?? '')];
  });
  return page(
    '# Settings',
    'Flags win over the project’s files, those over the user’s file, that over the defaults:',
    [
      '1. flags: their own (`--dialect`), or `--set KEY=VALUE` for any key (several times);',
      '2. the project’s files, once the project is [trusted](../trust.md): `.parley/settings.json`, then `.pi/settings.json`, then `.omp/settings.json` in the working directory. The last two belong to other programs: keys that Parley does not know are passed over there;',
      '3. the user’s file: `settings.json` in the user’s directory (`~/.parley`, or what `PARLEY_DIR` names).',
    ].join('\n'),
    'They are read at start. Comments and trailing commas are allowed. `{ "retry": { "enabled": false } }` and `{ "retry.enabled": false }` say the same; lists and profiles are replaced as a whole. A wrong value or an unknown key is told on stderr, with file, line and the nearest name, and does not count; `null` means not set. `parley config` shows what holds and where it comes from, `parley config set KEY VALUE` changes the user’s file.',
    tableOf(['setting', 'type', 'default', ''], rows),
  );
}

function nest(properties: Record<string, JsonSchema>, [group, ...rest]: readonly string[], field: JsonSchema): void {
  if (group === undefined) return;
  if (rest.length === 0) {
    properties[group] = field;
    return;
  }
  const own = properties[group];
  // A list that is also a group: editors are told of the list; the others have their flat keys.
  if (own?.type === 'array') return;
  const inner = { ...own?.properties };
  nest(inner, rest, field);
  properties[group] = { ...own, type: 'object', properties: inner };
}

/** Keys may stand flat and dotted, or nested: both are described. */
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
