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
    'Read at start from `settings.json` in the user’s directory (`~/.parley`, or what `PARLEY_DIR` names). Comments and trailing commas are allowed. `{ "retry": { "enabled": false } }` and `{ "retry.enabled": false }` say the same. A wrong value is told on stderr and the default stands; `null` means not set. Flags win over settings.',
    tableOf(['setting', 'type', 'default', ''], rows),
  );
}

/** Keys may stand flat and dotted, or nested: both are described. */
export function settingsSchema(): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const [key, field] of fields) {
    properties[key] = field;
    const [group, name] = key.split('.');
    if (!group || !name) continue;
    const nested = properties[group]?.properties;
    properties[group] = { type: 'object', properties: { ...nested, [name]: field } };
  }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Parley settings',
    description: 'The file settings.json in the user’s directory.',
    type: 'object',
    properties,
  };
}
