// Builds JSON Schema with the function names of TypeBox, for the arguments of extension tools.

type Schema = Record<string, unknown>;
type Options = Readonly<Record<string, unknown>>;

/** Marks an optional property. A symbol, as in TypeBox, so that it is not serialized. */
const OPTIONAL = Symbol('optional');

function markOptional(schema: Schema): Schema {
  return Object.defineProperty({ ...schema }, OPTIONAL, { value: true });
}

function isOptional(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && OPTIONAL in schema;
}

function createTypeBuilder(type: string) {
  return (options: Options = {}): Schema => ({ ...options, type });
}

function object(properties: Readonly<Record<string, Schema>>, options: Options = {}): Schema {
  const required = Object.keys(properties).filter((key) => !isOptional(properties[key]));
  return { ...options, type: 'object', ...(required.length > 0 ? { required } : {}), properties: { ...properties } };
}

function readProperties(schema: Schema): Record<string, Schema> {
  const required = new Set((schema.required as string[] | undefined) ?? []);
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  return Object.fromEntries(
    Object.entries(properties).map(([key, inner]) => [key, required.has(key) ? inner : markOptional(inner)]),
  );
}

function pickProperties(schema: Schema, shouldInclude: (key: string) => boolean, options?: Options): Schema {
  return object(
    Object.fromEntries(Object.entries(readProperties(schema)).filter(([key]) => shouldInclude(key))),
    options,
  );
}

const literal = (value: unknown, options: Options = {}): Schema => ({ ...options, const: value, type: typeof value });
const anyOf = (choices: readonly Schema[], options: Options = {}): Schema => ({ ...options, anyOf: [...choices] });

export const Type = {
  String: createTypeBuilder('string'),
  Number: createTypeBuilder('number'),
  Integer: createTypeBuilder('integer'),
  Boolean: createTypeBuilder('boolean'),
  Null: createTypeBuilder('null'),
  Any: (options: Options = {}): Schema => ({ ...options }),
  Unknown: (options: Options = {}): Schema => ({ ...options }),
  Never: (options: Options = {}): Schema => ({ ...options, not: {} }),
  Literal: literal,
  Object: object,
  Array: (items: Schema, options: Options = {}): Schema => ({ ...options, type: 'array', items }),
  Tuple: (items: readonly Schema[], options: Options = {}): Schema => ({
    ...options,
    type: 'array',
    items: [...items],
    minItems: items.length,
    maxItems: items.length,
  }),
  Record: (_key: Schema, value: Schema, options: Options = {}): Schema => ({
    ...options,
    type: 'object',
    additionalProperties: value,
  }),
  Union: anyOf,
  Intersect: (parts: readonly Schema[], options: Options = {}): Schema => ({ ...options, allOf: [...parts] }),
  Composite: (parts: readonly Schema[], options?: Options): Schema =>
    object(Object.assign({}, ...parts.map(readProperties)), options),
  Enum: (values: Readonly<Record<string, string | number>>, options: Options = {}): Schema =>
    anyOf(
      [...new Set(Object.values(values))].map((value) => literal(value)),
      options,
    ),
  Optional: (schema: Schema): Schema => markOptional(schema),
  Readonly: (schema: Schema): Schema => schema,
  Partial: (schema: Schema, options?: Options): Schema =>
    object(
      Object.fromEntries(Object.entries(readProperties(schema)).map(([key, inner]) => [key, markOptional(inner)])),
      options,
    ),
  Required: (schema: Schema, options?: Options): Schema =>
    object(
      Object.fromEntries(Object.entries(readProperties(schema)).map(([key, inner]) => [key, { ...inner }])),
      options,
    ),
  Pick: (schema: Schema, keys: readonly string[], options?: Options): Schema =>
    pickProperties(schema, (key) => keys.includes(key), options),
  Omit: (schema: Schema, keys: readonly string[], options?: Options): Schema =>
    pickProperties(schema, (key) => !keys.includes(key), options),
  KeyOf: (schema: Schema, options?: Options): Schema =>
    anyOf(
      Object.keys(readProperties(schema)).map((key) => literal(key)),
      options,
    ),
  Unsafe: (schema: Schema = {}): Schema => ({ ...schema }),
  Ref: (reference: string, options: Options = {}): Schema => ({ ...options, $ref: reference }),
};

/** A string enumeration in the form that every provider supports. */
export function StringEnum(values: readonly string[], options: Options = {}): Schema {
  return { ...options, type: 'string', enum: [...values] };
}
