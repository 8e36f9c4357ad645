// Formats JSON Schemas as text and Markdown tables.
import { type JsonSchema, nameOfRef } from './json-schema.ts';
import { anchorOf } from './naming.ts';

/** The type as plain text: `string`, `"a" | "b"`, `Model[]`, `{ input: number }`. */
export function typeText(schema: JsonSchema): string {
  if (schema.$ref) return nameOfRef(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = optionsOf(schema);
  if (options) return options.map(typeText).join(' | ');
  if (schema.type === 'array') return `${inParentheses(schema.items ?? {})}[]`;
  if (schema.properties) return objectText(schema);
  if (schema.type === 'object') return `{ [key]: ${typeText(asSchema(schema.additionalProperties))} }`;
  return schema.type ?? 'anything';
}

export function optionsOf(schema: JsonSchema): JsonSchema[] | undefined {
  return schema.anyOf ?? schema.oneOf;
}

/** The same for a table cell, where named types are links. */
export function typeCell(schema: JsonSchema): string {
  const options = optionsOf(schema);
  if (options) return options.map(typeCell).join(' \\| ');
  if (schema.$ref) return link(nameOfRef(schema.$ref));
  if (schema.type === 'array' && schema.items?.$ref) return `array of ${link(nameOfRef(schema.items.$ref))}`;
  return `\`${inCell(typeText(schema))}\``;
}

/** One row for each field. `presence` is the text for a required field. The description column is omitted if no field has one. */
export function fieldTable(schema: JsonSchema, presence = 'always'): string {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return '';
  const required = new Set(schema.required);
  const hasDescriptions = fields.some(([, field]) => field.description);
  const rows = fields.map(([name, field]) => {
    const cells = [`\`${name}\``, typeCell(field), required.has(name) ? presence : 'optional'];
    return hasDescriptions ? [...cells, inCell(field.description ?? '')] : cells;
  });
  return tableOf(hasDescriptions ? ['field', 'type', '', ''] : ['field', 'type', ''], rows);
}

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.join('\n').replaceAll(/ {2,}\|/g, ' |');
}

/** Escapes pipes, which end a cell even inside code. */
export function inCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

export function link(name: string): string {
  return `[${name}](types.md#${anchorOf(name)})`;
}

function objectText({ properties = {}, required = [] }: JsonSchema): string {
  const fields = Object.entries(properties).map(
    ([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${typeText(field)}`,
  );
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function inParentheses(schema: JsonSchema): string {
  const text = typeText(schema);
  return optionsOf(schema) || schema.enum ? `(${text})` : text;
}

function asSchema(schema: boolean | JsonSchema | undefined): JsonSchema {
  return typeof schema === 'object' ? schema : {};
}
