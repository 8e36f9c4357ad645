// Converts a JSON Schema to TypeScript declarations for hosts.
import { type JsonSchema, nameOfRef } from './json-schema.ts';
import { optionsOf } from './type-text.ts';

/** One exported type for each definition. */
export function declarationsOf({ title = '', definitions = {} }: JsonSchema): string {
  const types = Object.entries(definitions).map(
    ([name, schema]) => `${comment(about(schema), '')}export type ${name} = ${typeOf(schema, '')};\n`,
  );
  return [`// ${title}. Generated from the declarations; do not edit.\n`, ...types].join('\n');
}

function typeOf(schema: JsonSchema, indent: string): string {
  if (schema.$ref) return nameOfRef(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = optionsOf(schema);
  if (options) return options.map((option) => typeOf(option, indent)).join(' | ');
  if (schema.type === 'array') return `Array<${typeOf(schema.items ?? {}, indent)}>`;
  if (schema.type === 'object') return objectOf(schema, indent);
  return schema.type === 'integer' ? 'number' : (schema.type ?? 'unknown');
}

function objectOf({ properties, required = [], additionalProperties }: JsonSchema, indent: string): string {
  const inner = `${indent}  `;
  if (!properties) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, inner) : 'unknown';
    return `Record<string, ${value}>`;
  }
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(field.description, inner)}${inner}${JSON.stringify(name)}${mark}: ${typeOf(field, inner)};\n`;
  });
  return fields.length === 0 ? 'Record<never, never>' : `{\n${fields.join('')}${indent}}`;
}

/** Editors and linters recognise `@experimental`. */
function about({ description, 'x-stability': stability }: JsonSchema): string | undefined {
  return [description, stability === 'experimental' ? '@experimental' : ''].filter(Boolean).join(' ') || undefined;
}

function comment(text: string | undefined, indent: string): string {
  return text ? `${indent}/** ${text.replaceAll('*/', '*\u200b/')} */\n` : '';
}
