// First floor, core: JSON Type Definition (RFC 8927), in which agents describe answers, told in the words of JSON Schema. Pure.
import { isRecord, ownValue } from '../../base/index.ts';

type Node = Readonly<Record<string, unknown>>;

/** Words that only JSON Schema has: where one of them is, the rest means what it means there. */
const JSON_SCHEMA_WORDS = [
  ...['$schema', '$id', '$ref', '$defs', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'const'],
  ...['items', 'prefixItems', 'required', 'pattern', 'format', 'minItems', 'minLength', 'minimum', 'maximum'],
];
const JSON_SCHEMA_TYPES = new Set(['object', 'array', 'number', 'integer', 'null']);

const TYPES: Readonly<Record<string, Node>> = {
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

/** A schema in either language as JSON Schema. Where both would do, it is read as a type definition. */
export function jsonSchemaOf(schema: unknown): unknown {
  const converted = convert(schema);
  if (!isRecord(schema) || !isRecord(schema.definitions) || !isRecord(converted)) return converted;
  return { ...converted, definitions: each(schema.definitions) };
}

function convert(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  if (isJsonSchema(schema)) return inside(schema);
  const form = formOf(schema);
  return schema.nullable === true ? { anyOf: [form, { type: 'null' }] } : form;
}

function isJsonSchema(schema: Node): boolean {
  const { type } = schema;
  if (Array.isArray(type) || (typeof type === 'string' && JSON_SCHEMA_TYPES.has(type))) return true;
  return JSON_SCHEMA_WORDS.some((word) => Object.hasOwn(schema, word));
}

const NAMED = new Set(['properties', '$defs', 'definitions']);

/** Models mix the two; what is below is looked at for itself. */
function inside(schema: Node): Node {
  return Object.fromEntries(
    Object.entries(schema).map(([word, value]) => {
      if (Array.isArray(value) && word !== 'enum') return [word, value.map(convert)];
      if (!isRecord(value) || word === 'const') return [word, value];
      return [word, NAMED.has(word) ? each(value) : convert(value)];
    }),
  );
}

function formOf(schema: Node): Node {
  const { type, ref, elements, values, discriminator, mapping } = schema;
  if (typeof ref === 'string') return { $ref: `#/definitions/${ref}` };
  if (typeof type === 'string') return ownValue(TYPES, type) ?? { type };
  if (Array.isArray(schema.enum)) return { enum: schema.enum };
  if (elements !== undefined) return { type: 'array', items: convert(elements) };
  if (values !== undefined) return { type: 'object', additionalProperties: convert(values) };
  if (typeof discriminator === 'string' && isRecord(mapping)) return variants(discriminator, mapping);
  return isRecord(schema.properties) || isRecord(schema.optionalProperties) ? fields(schema) : {};
}

/** Everything in `properties` must be there; nothing else may be, unless it is said. */
function fields(schema: Node, tag: Node = {}): Node {
  const { properties, optionalProperties, additionalProperties } = schema;
  const needed = { ...tag, ...(isRecord(properties) ? each(properties) : {}) };
  return {
    type: 'object',
    properties: { ...needed, ...(isRecord(optionalProperties) ? each(optionalProperties) : {}) },
    required: Object.keys(needed),
    additionalProperties: additionalProperties === true,
  };
}

function variants(discriminator: string, mapping: Node): Node {
  const tags = Object.keys(mapping);
  return {
    type: 'object',
    allOf: [{ required: [discriminator], properties: { [discriminator]: { enum: tags } } }],
    anyOf: tags.map((tag) => {
      const schema = mapping[tag];
      return fields(isRecord(schema) ? schema : {}, { [discriminator]: { const: tag } });
    }),
  };
}

function each(schemas: Node): Node {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, convert(schema)]));
}
