// Checks values against schemas, with the function names of TypeBox. Supports the part of JSON Schema that tools need.
import { Fault } from '../../base/index.ts';
import { checkJson } from '../../core/schema/json-schema.ts';

function collectErrors(schema: unknown, value: unknown) {
  const checked = checkJson(schema, value);
  if ('value' in checked) return [];
  const { path, message } = checked.problem;
  return [{ path: path === '' ? '' : `/${path}`, message, value, schema }];
}

function convert(schema: unknown, value: unknown): unknown {
  const checked = checkJson(schema, value);
  return 'value' in checked ? checked.value : value;
}

function parse(schema: unknown, value: unknown): unknown {
  const [problem] = collectErrors(schema, value);
  if (problem) throw new Fault('invalid_params', `${problem.path || 'The value'} ${problem.message}`);
  return convert(schema, value);
}

export const Value = {
  Check: (schema: unknown, value: unknown) => collectErrors(schema, value).length === 0,
  Errors: collectErrors,
  Convert: convert,
  Parse: parse,
  Decode: parse,
  Clean: (_schema: unknown, value: unknown) => value,
  Default: (_schema: unknown, value: unknown) => value,
  Clone: (value: unknown) => structuredClone(value),
  Equal: (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b),
};

/** Does not compile the schema; uses the same checks. */
export function Compile(schema: unknown) {
  return {
    Check: (value: unknown) => Value.Check(schema, value),
    Errors: (value: unknown) => collectErrors(schema, value),
    Parse: (value: unknown) => parse(schema, value),
    Decode: (value: unknown) => parse(schema, value),
  };
}
