// The modules `typebox` and `@sinclair/typebox` of extensions. Both are TypeBox 1, as in pi; the second keeps what changed since 0.34.

type Module = Readonly<Record<string, unknown>>;
type Schema = Record<string, unknown>;
type TypeBuilder = (...args: readonly unknown[]) => Schema;

interface ValueError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: { readonly requiredProperties?: readonly string[] };
  readonly message: string;
}

export interface TypeboxModules {
  readonly Type: Module;
  readonly byName: Readonly<Record<string, Module>>;
}

export async function loadTypebox(): Promise<TypeboxModules> {
  const { typebox, value, compile } = await import('../vendor/typebox.ts');
  const Type: Module = {
    ...typebox.Type,
    ...createRemovedTypes(typebox.Type as unknown as Record<string, TypeBuilder>),
  };
  const root = { ...typebox, Type, StringEnum };
  const oldValue = createOldValue(value.Value as unknown as ValueFunctions);
  const oldCompile = { Compile: oldValue.compile, TypeCompiler: { Compile: oldValue.compile } };
  return {
    Type,
    byName: {
      typebox: root,
      'typebox/value': value,
      'typebox/compile': compile,
      'typebox/compiler': oldCompile,
      '@sinclair/typebox': root,
      '@sinclair/typebox/value': { ...value, Value: oldValue.Value },
      '@sinclair/typebox/compile': oldCompile,
      '@sinclair/typebox/compiler': oldCompile,
    },
  };
}

/** A string enumeration in the form that every provider supports. */
export function StringEnum(values: readonly string[], options: Module = {}): Schema {
  return { ...options, type: 'string', enum: [...values] };
}

/** Functions of `Type` in 0.34 that TypeBox 1 does not have. */
function createRemovedTypes({ Evaluate, Intersect }: Record<string, TypeBuilder>): Module {
  let count = 0;
  return {
    Composite: (parts: readonly Schema[], options?: Module) => ({ ...Evaluate?.(Intersect?.(parts)), ...options }),
    Recursive(createSchema: (self: Schema) => Schema, options: { readonly $id?: string } = {}) {
      const $id = options.$id ?? `T${count++}`;
      return { ...createSchema({ $ref: $id }), ...options, $id };
    },
  };
}

interface ValueFunctions {
  Check(schema: unknown, value: unknown): boolean;
  Errors(schema: unknown, value: unknown): readonly ValueError[];
  Clone(value: unknown): unknown;
  Clean(schema: unknown, value: unknown): unknown;
  Default(schema: unknown, value: unknown): unknown;
  Convert(schema: unknown, value: unknown): unknown;
  Decode(schema: unknown, value: unknown): unknown;
}

/** As in 0.34: errors have a path, `Parse` converts, and a failure names the first error. */
function createOldValue(Value: ValueFunctions) {
  const collectErrors = (schema: unknown, value: unknown) => {
    const errors = Value.Errors(schema, value).flatMap(addPaths);
    return Object.assign(errors, { First: () => errors[0] });
  };
  const decode = (schema: unknown, value: unknown) => {
    const [error] = Value.Check(schema, value) ? [] : collectErrors(schema, value);
    if (error) throw new Error(`${error.path || 'The value'} ${error.message}`);
    return Value.Decode(schema, value);
  };
  const parse = (schema: unknown, value: unknown) =>
    decode(schema, Value.Convert(schema, Value.Default(schema, Value.Clean(schema, Value.Clone(value)))));
  const compile = (schema: unknown) => ({
    Check: (value: unknown) => Value.Check(schema, value),
    Errors: (value: unknown) => collectErrors(schema, value),
    Parse: (value: unknown) => parse(schema, value),
    Decode: (value: unknown) => decode(schema, value),
  });
  return { Value: { ...Value, Errors: collectErrors, Parse: parse, Decode: decode }, compile };
}

/** TypeBox 1 reports all missing properties as one error of the object. */
function addPaths(error: ValueError) {
  const { instancePath, params } = error;
  if (error.keyword !== 'required') return [{ ...error, path: instancePath }];
  return (params.requiredProperties ?? []).map((name) => ({
    ...error,
    path: `${instancePath}/${name}`,
    message: 'is required',
  }));
}
