// Sessions that are closed while a client opens them.
import { expect, test } from 'vitest';
import { SessionOpener, type SessionOpenerOptions } from '../../../../src/app/modes/serve/session-opener.ts';
import { createDeferred, Fault } from '../../../../src/base/index.ts';
import type { AgentSession, OpenSessionResult } from '../../../../src/contracts/index.ts';

/** `flush` fails. `isOpen`: the session is in the pool at that time. */
function createOpener(isOpen: boolean): SessionOpener {
  const found: AgentSession[] = [];
  const session = {
    id: 's',
    entries: {
      async flush() {
        if (isOpen) found.push(session);
        throw new Fault('storage', 'The log could not be written.');
      },
    },
  } as unknown as AgentSession;
  const options = {
    pool: { find: () => found[0], open: async () => ({ session }) as OpenSessionResult },
    shared: {},
    clock: { after: () => () => {} },
    idleMs: 1000,
    onOpened() {},
  };
  return new SessionOpener(options as unknown as SessionOpenerOptions);
}

test('a session that another client closes at the same time is busy', async () => {
  const opened = createOpener(false).createPool().open({ id: 's', persist: true });
  await expect(opened).rejects.toMatchObject({
    code: 'busy',
    message: expect.stringContaining('Session s was closed'),
  });
});

test('other failures are reported as they are', async () => {
  const opened = createOpener(true).createPool().open({ id: 's', persist: true });
  await expect(opened).rejects.toMatchObject({ code: 'storage', message: 'The log could not be written.' });
});

test('when another process has taken a session, its clients leave before it is closed', async () => {
  const closed = createDeferred();
  const session = { id: 's' } as AgentSession;
  const removed: unknown[] = [];
  const opener = new SessionOpener({
    pool: { find: (id: string) => (id === 's' ? session : undefined), close: () => closed.promise },
    shared: { remove: (one: AgentSession, _: string, kind: string) => void removed.push([one.id, kind]) },
    clock: { after: () => () => {} },
    idleMs: 1000,
  } as unknown as SessionOpenerOptions);
  const closing = opener.closeTaken('s');
  expect(removed).toEqual([['s', 'session_released']]);
  closed.resolve();
  await closing;
  await opener.closeTaken('other');
  expect(new Set(removed.map(String))).toEqual(new Set(['s,session_released']));
});
