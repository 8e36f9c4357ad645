// Checks the arguments of a tool against the JSON Schema that another party declared for it.
import { Fault } from '../../base/index.ts';
import type { JsonSchema, TestPatterns } from '../../contracts/index.ts';
import { checkJsonAsync } from './check-json-async.ts';

/** Returns the arguments, with lossless conversions, or throws. A pattern that times out refuses the call, because the input may be invalid. */
export async function checkArguments(schema: JsonSchema, input: unknown, testPatterns: TestPatterns): Promise<unknown> {
  const timedOut: string[] = [];
  const checked = await checkJsonAsync(schema, input, {
    testPatterns,
    onTimeout: (expression) => void timedOut.push(expression),
  });
  if (timedOut.length > 0) {
    throw new Fault(
      'invalid_params',
      `the pattern ${timedOut[0]} takes too long to check. Use shorter or simpler arguments`,
    );
  }
  if ('value' in checked) return checked.value;
  const { path, message } = checked.problem;
  throw new Fault('invalid_params', `${path || 'value'}${message.startsWith('must ') ? '' : ':'} ${message}`);
}
