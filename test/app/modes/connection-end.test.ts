// Close codes of connections that were refused.
import { expect, test } from 'vitest';
import { toRefusedEnd } from '../../../src/app/modes/serve/connection-end.ts';
import { Fault } from '../../../src/base/index.ts';

test.each([
  [new Fault('refused', 'in use', { details: { reason: 'in_use' } }), 4409, 'in_use'],
  [new Fault('busy', 'full', { details: { reason: 'too_many_clients' } }), 1013, 'busy'],
  [new Fault('busy', 'opening'), 4409, 'busy'],
  [new Fault('not_found', 'no session'), 4404, 'not_found'],
  [new Fault('refused', 'no'), 4400, 'refused'],
  [new TypeError('x'), 1011, 'internal'],
])('%s', (thrown, code, faultCode) => {
  expect(toRefusedEnd(thrown)).toEqual({ code, reason: thrown.message, faultCode });
});
