// Documents: docs/protocol/types.md. The shapes that frames and the session log are made of, from src/protocol.
import type { JsonSchema } from './json-schema.ts';
import { page, section } from './markdown.ts';
import { fieldTable, link, optionsOf, typeCell, typeText } from './type-text.ts';

export function typePage(definitions: Record<string, JsonSchema>): string {
  const types = Object.entries(definitions);
  return page(
    '# Types',
    'The shapes that frames and the session log are made of. Objects may grow fields in later versions: ignore what you do not know.',
    types.map(([name]) => link(name).replace('types.md', '')).join(' · '),
    ...types.map(([name, schema]) => describe(name, schema)).map((text) => text.replaceAll('](types.md#', '](#')),
  );
}

function describe(name: string, schema: JsonSchema): string {
  return section(`## ${name}`, schema.description, shapeOf(schema));
}

function shapeOf(schema: JsonSchema): string {
  const options = optionsOf(schema);
  if (!options) return fieldTable(schema) || `\`${typeText(schema)}\``;
  if (options.some((option) => option.properties)) {
    return section('One of:', ...options.map((option) => fieldTable(option) || typeCell(option)));
  }
  return `One of: ${options.map(typeCell).join(', ')}.`;
}
