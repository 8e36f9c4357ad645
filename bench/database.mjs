// Measures the store in PostgreSQL: appends, resuming, lists and many open sessions. The session files are measured in the same run.
// `PARLEY_BENCH_DATABASE=postgres://… npm run bench:database`: an empty database that may be changed.
// @ts-check
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { median } from './median.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const url = process.env.PARLEY_BENCH_DATABASE;
if (!url) throw new Error('PARLEY_BENCH_DATABASE is not set');
const directory = mkdtempSync(join(tmpdir(), 'parley-database-'));
const STAMP = '2026-01-02T03:04:05.000Z';
const ENTRY = `
export { createFiles } from '${root}src/app/system-ports/files.ts';
export { createClock } from '${root}src/app/system-ports/clock.ts';
export { createIds } from '${root}src/app/system-ports/ids.ts';
export { createProcessIdentity } from '${root}src/app/system-ports/process-identity.ts';
export { openDatabase } from '${root}src/app/system-ports/postgres-database.ts';
export { createContentCipher } from '${root}src/store/postgres/content-cipher.ts';
export { migrateSchema } from '${root}src/store/postgres/migrate-schema.ts';
export { createPostgresStorage, createPostgresStore } from '${root}src/store/postgres/postgres-store.ts';
export { createJsonlStore } from '${root}src/store/index.ts';
`;

try {
  const outfile = join(directory, 'store.mjs');
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'), 'junction');
  await build({
    stdin: { contents: ENTRY, resolveDir: root, loader: 'ts' },
    ...{ bundle: true, format: 'esm', platform: 'node', outfile, external: ['postgres'], logLevel: 'error' },
  });
  const { rows, close } = await measure(await import(pathToFileURL(outfile).href));
  console.log(['| | |', '|---|---:|', ...rows.map(([what, value]) => `| ${what} | ${value} |`)].join('\n'));
  await close();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** @param {any} program */
async function measure(program) {
  const [files, clock, ids] = [program.createFiles(), program.createClock(), program.createIds()];
  const identity = program.createProcessIdentity();
  const database = await program.openDatabase({ url, applicationName: 'parley bench' });
  await program.migrateSchema(database);
  let statements = 0;
  const counting = {
    ...database,
    query: (/** @type {any[]} */ ...request) => {
      statements += 1;
      return database.query(...request);
    },
  };
  const tenant = `bench-${ids.uuid()}`;
  const cipher = program.createContentCipher(Buffer.alloc(32, 7).toString('base64').replace(/^/, 'bench:'), ids);
  const storage = program.createPostgresStorage({
    ...{ database: counting, cipher, tenant, files, clock, ids, identity },
    ...{ filesParent: join(directory, 'files'), retryMs: 15_000, leaseMs: 30_000 },
  });
  const store = program.createPostgresStore(storage);
  mkdirSync(join(directory, 'jsonl'));
  const jsonl = program.createJsonlStore({ files, clock, identity, directory: join(directory, 'jsonl') });
  /** @type {[string, string][]} */
  const rows = [];
  const create = (/** @type {any} */ target = store) =>
    target.create({ type: 'session', version: 3, id: ids.uuid(), timestamp: STAMP, cwd: '/bench' });

  const [inDatabase, inFile] = [create(), create(jsonl)];
  /** @type {{ database: number[], file: number[] }} */
  const latencies = { database: [], file: [] };
  await inDatabase.append([createEntry(0)]);
  await inFile.append([createEntry(0)]);
  const before = statements;
  for (let n = 1; n <= 1000; n++) {
    latencies.database.push(await time(() => inDatabase.append([createEntry(n)])));
    latencies.file.push(await time(() => inFile.append([createEntry(n)])));
  }
  for (const [name, values] of Object.entries(latencies))
    rows.push([`append of one entry, ${name}: median, p99`, `${ms(median(values))}, ${ms(percentile(values, 0.99))}`]);
  rows.push(['round trips per append', ((statements - before) / 1000).toFixed(2)]);
  rows.push([
    'one writer',
    rate(
      1000,
      latencies.database.reduce((sum, value) => sum + value, 0),
    ),
  ]);

  const writers = Array.from({ length: 50 }, () => create());
  const writing = await time(() =>
    Promise.all(
      writers.map(async (log) => {
        for (let n = 0; n < 40; n++) await log.append([createEntry(n)]);
      }),
    ),
  );
  rows.push(['50 writers', rate(2000, writing)]);

  const long = create();
  for (let n = 0; n < 20_000; n += 500) await long.append(Array.from({ length: 500 }, (_, i) => createEntry(n + i)));
  await long.close();
  /** @type {any} */
  let resumed;
  const resuming = await time(async () => {
    resumed = await store.resume(long.file);
  });
  rows.push(['resume, 20,000 messages in the context', ms(resuming)]);
  await resumed.log.append([
    {
      type: 'compaction',
      id: 'ffffffff',
      parentId: createEntry(19_999).id,
      timestamp: STAMP,
      summary: 'short',
      firstKeptEntryId: createEntry(19_980).id,
      tokensBefore: 1,
    },
  ]);
  await resumed.log.close();
  const compacted = await time(async () => {
    resumed = await store.resume(long.file);
  });
  rows.push(['resume, 20,000 messages, compacted', ms(compacted)]);
  await resumed.log.close();

  const opened = await time(async () => {
    for (let n = 0; n < 1000; n += 50)
      await Promise.all(Array.from({ length: 50 }, () => create().append([createEntry(0)])));
  });
  rows.push(['create 1,000 sessions and keep them open', ms(opened)]);

  await database.tenantTransaction(tenant, (/** @type {any} */ connection) =>
    connection.query(
      `insert into parley.sessions (tenant, id, header, cwd, created_ms, modified_ms, details)
        select $1, 'list-' || n, '\\x7b7d0a', '/bench', n, n, convert_to('{"opening":"' || repeat('word ', 20) || '"}', 'UTF8')
        from generate_series(1, 10000) as n`,
      [tenant],
    ),
  );
  const cold = await program.openDatabase({ url, applicationName: 'parley bench' });
  const coldStore = program.createPostgresStore({ ...storage, database: cold });
  rows.push(['list of 11,000 sessions, first', ms(await time(() => coldStore.list()))]);
  const lists = [];
  for (let n = 0; n < 5; n++) lists.push(await time(() => coldStore.list()));
  rows.push(['list of 11,000 sessions, median of the next 5', ms(median(lists))]);
  await cold.close();
  const close = async () => {
    await database.tenantTransaction(tenant, (/** @type {any} */ connection) =>
      connection.query('delete from parley.sessions where tenant = $1', [tenant]),
    );
    await storage.holder.close();
    await database.close();
  };
  return { rows, close };
}

/** @param {number} n */
function createEntry(n) {
  const toId = (/** @type {number} */ of) => of.toString(16).padStart(8, '0');
  const content = `message ${n} ${'of some words '.repeat(20)}`;
  const parentId = n === 0 ? null : toId(n - 1);
  return { type: 'message', id: toId(n), parentId, timestamp: STAMP, message: { role: 'user', content, timestamp: n } };
}

/** @param {() => Promise<unknown>} act */
async function time(act) {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/** @param {number} value */
function ms(value) {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}

/** @param {number} count @param {number} duration */
function rate(count, duration) {
  return `${((count / duration) * 1000).toFixed(0)} entries/s`;
}

/** @param {readonly number[]} values @param {number} share */
function percentile(values, share) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN;
}
