// The hall: checking a value against a schema, by the names of TypeBox. Knows JSON Schema, as much as tools need.
import { Fault } from '../../../base/index.ts';
import { checkJson } from '../../../core/schema/json-schema.ts';

function errorsOf(schema: unknown, value: unknown) {
  const checked = checkJson(schema, value);
  if ('value' in checked) return [];
  const { path, message } = checked.problem;
  return [{ path: path === '' ? '' : `/${path}`, message, value, schema }];
}

function converted(schema: unknown, value: unknown): unknown {
  const checked = checkJson(schema, value);
  return 'value' in checked ? checked.value : value;
}

function parsed(schema: unknown, value: unknown): unknown {
  const [wrong] = errorsOf(schema, value);
  if (wrong) throw new Fault('invalid_params', `${wrong.path || 'The value'} ${wrong.message}`);
  return converted(schema, value);
}

export const Value = {
  Check: (schema: unknown, value: unknown) => errorsOf(schema, value).length === 0,
  Errors: errorsOf,
  Convert: converted,
  Parse: parsed,
  Decode: parsed,
  Clean: (_schema: unknown, value: unknown) => value,
  Default: (_schema: unknown, value: unknown) => value,
  Clone: (value: unknown) => structuredClone(value),
  Equal: (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b),
};

/** Nothing is compiled: the same checks, with the schema at hand. */
export function Compile(schema: unknown) {
  return {
    Check: (value: unknown) => Value.Check(schema, value),
    Errors: (value: unknown) => errorsOf(schema, value),
    Parse: (value: unknown) => parsed(schema, value),
    Decode: (value: unknown) => parsed(schema, value),
  };
}
