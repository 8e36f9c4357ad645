// The schema of a parameter that is an object with any fields.
import { _addIssue, record, string, unknown } from 'valibot';

/** Unlike `record` of valibot, refuses an array, which a host sends by mistake. */
export function recordParam() {
  const schema = record(string(), unknown());
  const run: (typeof schema)['~run'] = (dataset, config) => {
    if (!Array.isArray(dataset.value)) return schema['~run'](dataset, config);
    _addIssue(schema, 'type', dataset, config);
    return dataset as unknown as ReturnType<(typeof schema)['~run']>;
  };
  return { ...schema, '~run': run };
}
