// Test helper: validates values against the schema of ACP version 1.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isRecord } from '../../../src/base/index.ts';

const SCHEMA_FILE = '@agentclientprotocol/sdk/schema/v1/schema.json';

const schema: unknown = JSON.parse(readFileSync(createRequire(import.meta.url).resolve(SCHEMA_FILE), 'utf8'));
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(rejectUnknownFields(schema) as object, 'acp');

/** Throws when the value does not match the definition, with all problems in the message. */
export function validate(definitionName: string, value: unknown): void {
  const check = ajv.getSchema(`acp#/$defs/${definitionName}`);
  if (!check) throw new Error(`The schema has no definition ${definitionName}`);
  if (check(value)) return;
  const problems = (check.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
  throw new Error(`Not a ${definitionName}: ${problems.join('; ')}\n${JSON.stringify(value)}`);
}

/**
 * The schema allows unknown fields. The variants of a union get none, so that a wrong field name is found; where the union has fields
 * of its own, the whole union.
 */
function rejectUnknownFields(node: unknown, isPartOfUnion = false): unknown {
  if (Array.isArray(node)) return node.map((item) => rejectUnknownFields(item, isPartOfUnion));
  if (!isRecord(node)) return node;
  const variants = [node.anyOf, node.oneOf].flat().filter(isVariant);
  const hasVariantsAndFields = variants.length > 0 && isRecord(node.properties);
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, rejectUnknownFields(value, hasVariantsAndFields)]),
  );
  const isClosed = hasVariantsAndFields || (isVariant(node) && !isPartOfUnion);
  return isClosed ? { ...copy, unevaluatedProperties: false } : copy;
}

function isVariant(node: unknown): boolean {
  return isRecord(node) && isRecord(node.properties) && Array.isArray(node.allOf);
}
