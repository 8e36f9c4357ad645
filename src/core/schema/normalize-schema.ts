// Converts JSON Type Definition (RFC 8927), the format of answer schemas in agent files, to JSON Schema. Pure.
import { getOwnValue, isRecord } from '../../base/index.ts';

type SchemaNode = Readonly<Record<string, unknown>>;

/** Keywords that only JSON Schema has. A schema with one of them is a JSON Schema. */
const JSON_SCHEMA_KEYWORDS = [
  ...['$schema', '$id', '$anchor', '$ref', '$dynamicRef', '$recursiveRef', '$defs', 'const', 'pattern', 'format'],
  ...['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'items', 'prefixItems', 'additionalItems', 'contains'],
  ...['required', 'patternProperties', 'propertyNames', 'dependencies', 'dependentRequired', 'dependentSchemas'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
];
const JSON_SCHEMA_TYPES = new Set(['object', 'array', 'number', 'integer', 'null']);

const TYPE_SCHEMAS: Readonly<Record<string, SchemaNode>> = {
  boolean: { type: 'boolean' },
  string: { type: 'string' },
  timestamp: {
    type: 'string',
    pattern: '^\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?([Zz]|[+-]\\d\\d:\\d\\d)$',
  },
  float32: { type: 'number' },
  float64: { type: 'number' },
  int8: { type: 'integer', minimum: -128, maximum: 127 },
  uint8: { type: 'integer', minimum: 0, maximum: 255 },
  int16: { type: 'integer', minimum: -32768, maximum: 32767 },
  uint16: { type: 'integer', minimum: 0, maximum: 65535 },
  int32: { type: 'integer', minimum: -2147483648, maximum: 2147483647 },
  uint32: { type: 'integer', minimum: 0, maximum: 4294967295 },
};

/** Accepts both formats and returns JSON Schema. A schema that is valid in both is read as a type definition. */
export function normalizeSchema(schema: unknown): unknown {
  const converted = convertSchema(schema);
  if (!isRecord(schema) || !isRecord(schema.definitions) || !isRecord(converted)) return converted;
  return { ...converted, definitions: convertAll(schema.definitions) };
}

function convertSchema(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  if (isJsonSchema(schema)) return convertJsonSchema(schema);
  const form = convertTypeDefinition(schema);
  return schema.nullable === true ? { anyOf: [form, { type: 'null' }] } : form;
}

function isJsonSchema(schema: SchemaNode): boolean {
  const { type } = schema;
  if (Array.isArray(type) || (typeof type === 'string' && JSON_SCHEMA_TYPES.has(type))) return true;
  return JSON_SCHEMA_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword));
}

const NAMED_SCHEMA_KEYWORDS = new Set([
  ...['properties', 'patternProperties', 'dependencies', 'dependentSchemas', '$defs', 'definitions'],
]);
/** Keywords whose values contain no schemas. */
const VALUE_KEYWORDS = new Set(['const', 'enum', 'dependentRequired']);

/** Models mix the two formats, so the format of every subschema is detected separately. */
function convertJsonSchema(schema: SchemaNode): SchemaNode {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (VALUE_KEYWORDS.has(keyword)) return [keyword, value];
      if (Array.isArray(value)) return [keyword, value.map(convertSchema)];
      if (!isRecord(value)) return [keyword, value];
      return [keyword, NAMED_SCHEMA_KEYWORDS.has(keyword) ? convertAll(value) : convertSchema(value)];
    }),
  );
}

function convertTypeDefinition(schema: SchemaNode): SchemaNode {
  const { type, ref, elements, values, discriminator, mapping } = schema;
  if (typeof ref === 'string') return { $ref: `#/definitions/${ref}` };
  if (typeof type === 'string') return getOwnValue(TYPE_SCHEMAS, type) ?? { type };
  if (Array.isArray(schema.enum)) return { enum: schema.enum };
  if (elements !== undefined) return { type: 'array', items: convertSchema(elements) };
  if (values !== undefined) return { type: 'object', additionalProperties: convertSchema(values) };
  if (typeof discriminator === 'string' && isRecord(mapping)) return convertDiscriminator(discriminator, mapping);
  return isRecord(schema.properties) || isRecord(schema.optionalProperties) ? convertProperties(schema) : {};
}

/** All `properties` are required. Other properties are refused unless `additionalProperties` is `true`. */
function convertProperties(schema: SchemaNode, tag: SchemaNode = {}): SchemaNode {
  const { properties, optionalProperties, additionalProperties } = schema;
  const requiredProperties = { ...tag, ...(isRecord(properties) ? convertAll(properties) : {}) };
  return {
    type: 'object',
    properties: { ...requiredProperties, ...(isRecord(optionalProperties) ? convertAll(optionalProperties) : {}) },
    required: Object.keys(requiredProperties),
    additionalProperties: additionalProperties === true,
  };
}

function convertDiscriminator(discriminator: string, mapping: SchemaNode): SchemaNode {
  const tags = Object.keys(mapping);
  return {
    type: 'object',
    allOf: [{ required: [discriminator], properties: { [discriminator]: { enum: tags } } }],
    anyOf: tags.map((tag) => {
      const schema = mapping[tag];
      return convertProperties(isRecord(schema) ? schema : {}, { [discriminator]: { const: tag } });
    }),
  };
}

function convertAll(schemas: SchemaNode): SchemaNode {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, convertSchema(schema)]));
}
