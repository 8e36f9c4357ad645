// Documents: valibot schemas as JSON Schema, with what the doc comments say about them. Draft 7, which every tool reads.
import { toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { isRecord } from '../../src/base/index.ts';
import * as protocol from '../../src/protocol/index.ts';
import type { Remarks } from './comments.ts';
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
    // Bundlers and loaders do not agree on the order of a module's exports.
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

/** One JSON Schema for each definition; definitions point at one another. */
export function toDefinitions(
  definitions: Definitions,
  remarks: ReadonlyMap<string, Remarks>,
): Record<string, JsonSchema> {
  const converted = toJsonSchemaDefs(definitions, {
    typeMode: 'input',
    errorMode: 'throw',
    overrideRef: ({ referenceId }) => `${REF}${referenceId}`,
  }) as Record<string, JsonSchema>;
  for (const [name, said] of remarks) {
    for (const suffix of ['', 'Event']) {
      const schema = converted[`${pascalCase(name)}${suffix}`];
      if (schema) annotate(schema, said);
    }
  }
  return converted;
}

export function nameOfRef(ref: string): string {
  return ref.slice(REF.length);
}

/** A document whose root is `root`, with only those definitions that it needs. */
export function documentOf(
  root: JsonSchema & { title: string; description: string },
  definitions: Record<string, JsonSchema>,
): JsonSchema {
  const needed = new Set(refsIn(root));
  for (const name of needed) for (const further of refsIn(definitions[name] ?? {})) needed.add(further);
  const kept = Object.entries(definitions).filter(([name]) => needed.has(name));
  return { $schema: DRAFT, ...root, definitions: Object.fromEntries(kept) };
}

export function refTo(name: string): JsonSchema {
  return { $ref: `${REF}${name}` };
}

function annotate(schema: JsonSchema, { about, fields }: Remarks): void {
  if (about) schema.description = about;
  for (const option of [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) {
    for (const [field, remark] of fields) {
      const property = option.properties?.[field];
      if (property) property.description = remark;
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
