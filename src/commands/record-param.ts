// The schema of a parameter that is an object with any fields.
import { _addIssue, record, string, unknown } from 'valibot';
import { isRecord } from '../base/index.ts';

/** `record` of valibot leaves out fields with these names. */
const RESERVED_NAMES = ['__proto__', 'prototype', 'constructor'];

/** Unlike `record` of valibot, refuses an array, which a host sends by mistake, and names that cannot be used. */
export function recordParam() {
  const schema = record(string(), unknown());
  const run: (typeof schema)['~run'] = (dataset, config) => {
    const { value } = dataset;
    const reserved = RESERVED_NAMES.find((name) => isRecord(value) && Object.hasOwn(value, name));
    if (reserved !== undefined) _addIssue(schema, 'key', dataset, config, { expected: `without the key ${reserved}` });
    else if (Array.isArray(value)) _addIssue(schema, 'type', dataset, config);
    else return schema['~run'](dataset, config);
    return dataset as unknown as ReturnType<(typeof schema)['~run']>;
  };
  return { ...schema, '~run': run };
}
