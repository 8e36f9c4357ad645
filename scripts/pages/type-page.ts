// Generates docs/protocol/types.md from the schemas of src/protocol.
import type { JsonSchema } from './json-schema.ts';
import { page, section } from './markdown.ts';
import { fieldTable, link, optionsOf, typeCell, typeText } from './type-text.ts';

export function typePage(definitions: Record<string, JsonSchema>): string {
  const types = Object.entries(definitions);
  return page(
    '# Types',
    'The data types of frames and session files. Later versions may add fields to objects; ignore unknown fields.',
    types.map(([name]) => link(name).replace('types.md', '')).join(' · '),
    ...types.map(([name, schema]) => describe(name, schema)).map((text) => text.replaceAll('](types.md#', '](#')),
  );
}

function describe(name: string, schema: JsonSchema): string {
  return section(`## ${name}`, schema.description, describeType(schema));
}

function describeType(schema: JsonSchema): string {
  const options = optionsOf(schema);
  if (!options) return fieldTable(schema) || `\`${typeText(schema)}\``;
  if (options.some((option) => option.properties)) {
    return section('One of:', ...options.map((option) => fieldTable(option) || typeCell(option)));
  }
  return `One of: ${options.map(typeCell).join(', ')}.`;
}
