// Converts valibot schemas to JSON Schema draft 7, with descriptions from doc comments.
import { toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { isRecord } from '../../src/base/index.ts';
import * as protocol from '../../src/protocol/index.ts';
import type { DocComments } from './comments.ts';
import type { Definitions } from './frames.ts';
import { pascalCase } from './naming.ts';

export interface JsonSchema {
  $schema?: string;
  $ref?: string;
  title?: string;
  description?: string;
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  default?: unknown;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  definitions?: Record<string, JsonSchema>;
  [keyword: string]: unknown;
}

const DRAFT = 'http://json-schema.org/draft-07/schema#';
const REF = '#/definitions/';

/** Every schema that src/protocol exports, under its name with a capital letter. */
export const protocolTypes: Definitions = Object.fromEntries(
  Object.entries(protocol as Record<string, unknown>)
    .filter((entry): entry is [string, GenericSchema] => isRecord(entry[1]) && entry[1].kind === 'schema')
    .map(([name, schema]) => [pascalCase(name), schema] as const)
    // The order of the exports of a module differs between bundlers.
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

/** One JSON Schema for each definition. They refer to each other. */
export function toDefinitions(
  definitions: Definitions,
  docComments: ReadonlyMap<string, DocComments>,
): Record<string, JsonSchema> {
  const converted = toJsonSchemaDefs(definitions, {
    typeMode: 'input',
    errorMode: 'throw',
    overrideRef: ({ referenceId }) => `${REF}${referenceId}`,
  }) as Record<string, JsonSchema>;
  for (const [name, comments] of docComments) {
    for (const suffix of ['', 'Event']) {
      const schema = converted[`${pascalCase(name)}${suffix}`];
      if (schema) annotate(schema, comments);
    }
  }
  return converted;
}

export function nameOfRef(ref: string): string {
  return ref.slice(REF.length);
}

/** A document with `root` and only those definitions that it uses. */
export function documentOf(
  root: JsonSchema & { title: string; description: string },
  definitions: Record<string, JsonSchema>,
): JsonSchema {
  const used = new Set(refsIn(root));
  for (const name of used) for (const ref of refsIn(definitions[name] ?? {})) used.add(ref);
  const usedDefinitions = Object.entries(definitions).filter(([name]) => used.has(name));
  return { $schema: DRAFT, ...root, definitions: Object.fromEntries(usedDefinitions) };
}

export function refTo(name: string): JsonSchema {
  return { $ref: `${REF}${name}` };
}

function annotate(schema: JsonSchema, { about, fields }: DocComments): void {
  if (about) schema.description = about;
  for (const option of [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) {
    for (const [field, text] of fields) {
      const property = option.properties?.[field];
      if (property) property.description = text;
    }
  }
}

function* refsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === '$ref') yield nameOfRef(member);
    else yield* refsIn(member);
  }
}
