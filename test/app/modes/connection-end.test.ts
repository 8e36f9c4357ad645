// Close codes of connections that were refused.
import { expect, test } from 'vitest';
import { toConnectionEnd, toRefusedEnd } from '../../../src/app/modes/serve/connection-end.ts';
import { Fault } from '../../../src/base/index.ts';

test.each([
  [new Fault('refused', 'in use', { details: { reason: 'in_use' } }), 4409, 'in_use'],
  [new Fault('busy', 'full', { details: { reason: 'too_many_clients' } }), 1013, 'busy'],
  [new Fault('busy', 'opening'), 4409, 'busy'],
  [new Fault('busy', 'moved', { details: { reason: 'unavailable' } }), 1013, 'busy'],
  [new Fault('storage', 'lost connection', { details: { reason: 'database', code: 'ECONNRESET' } }), 1013, 'busy'],
  [new Fault('storage', 'taken', { details: { reason: 'lease_lost' } }), 1013, 'busy'],
  [new Fault('storage', 'the session is closed', { details: { reason: 'closed' } }), 1013, 'busy'],
  [new Fault('storage', 'damaged'), 4400, 'storage'],
  [new Fault('not_found', 'no session'), 4404, 'not_found'],
  [new Fault('refused', 'no'), 4400, 'refused'],
  [new TypeError('x'), 1011, 'internal'],
])('%s', (thrown, code, faultCode) => {
  expect(toRefusedEnd(thrown)).toEqual({ code, reason: thrown.message, faultCode });
});

test('a client comes back when another process can open the session, and not when it was closed', () => {
  expect(toConnectionEnd('session_released', 'x')).toEqual({ code: 1012, reason: 'x' });
  expect(toConnectionEnd('session_closed', 'x')).toEqual({ code: 4404, reason: 'x' });
});
