// An extension of one session asks to end the program: a server continues, and the clients of that session get a notice.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories } from '../support/program.ts';
import { OFFLINE, startServer } from '../support/server.ts';
import { connectWebSocket } from '../support/server-clients.ts';

test('the server continues, and each request is reported to the clients of that session only', async () => {
  const directories = createDirectories();
  const extension = join(directories.cwd, 'quit.ts');
  writeFileSync(
    extension,
    `export default (pi) => pi.registerCommand('quit-now', { handler: async (_, ctx) => ctx.shutdown() });`,
  );
  const server = await startServer([...OFFLINE, '--extension', extension], { directories });
  const session = await server.createSession();
  const [first, second, other] = await Promise.all([
    connectWebSocket(server, { session, client: 'first' }),
    connectWebSocket(server, { session, dialect: 'pi', client: 'second' }),
    connectWebSocket(server, { client: 'other' }),
  ]);
  for (const client of [first, second, other]) await client.next({ type: 'session_attached' });
  for (let i = 0; i < 2; i++) {
    first.send({ type: 'prompt', message: '/quit-now' });
    for (const client of [first, second]) {
      const { message } = await client.next({ type: 'notice', level: 'warning', source: 'extensions' });
      expect(message).toContain('asked to end the program. The server continues');
    }
  }
  expect(await other.call({ type: 'get_state' })).toMatchObject({ success: true });
  expect(other.frames.some(({ type, source }) => type === 'notice' && source === 'extensions')).toBe(false);
  expect((await server.request('/healthz')).status).toBe(200);
});
