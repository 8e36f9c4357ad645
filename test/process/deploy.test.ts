// Starts the program with the arguments and the variables of the examples under deploy/, and checks what they refer to.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createTestDatabase } from '../support/database.ts';
import { startProgram } from '../support/program.ts';
import { OFFLINE, stopServer } from '../support/server.ts';

const folder = fileURLToPath(new URL('../../deploy', import.meta.url));
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

interface Service {
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
}

const compose = parse(read('compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};

/** Starts a node with the arguments of an example on any port, and returns what it answers to a health check with this host. */
async function checkHealth(args: readonly string[], host: string): Promise<number> {
  const { url } = await createTestDatabase();
  const env = { PARLEY_DATABASE_URL: url, PARLEY_SERVE_TOKEN: 'change-this-token-of-24-or-more' };
  const [serve, ...rest] = args;
  expect(serve).toBe('serve');
  const program = startProgram(['serve', '--port', '0', '--json', ...rest, ...OFFLINE], { env });
  const { url: address } = JSON.parse(String((await program.nextFrame({ type: 'unreadable' })).text)) as {
    url: string;
  };
  const { request } = await import('node:http');
  const status = await new Promise<number>((resolve, reject) => {
    const options = { host: '127.0.0.1', port: new URL(address).port, path: '/healthz', headers: { host } };
    request(options, (response) => resolve(response.resume().statusCode ?? 0))
      .on('error', reject)
      .end();
  });
  await stopServer({ program } as Parameters<typeof stopServer>[0]);
  return status;
}

test('the nodes of the compose file start with a database and answer behind the proxy', async () => {
  const nodes = Object.entries(compose.services).filter(([name]) => name.startsWith('node-'));
  expect(nodes).toHaveLength(3);
  const [, node] = nodes[0] as [string, Service];
  expect(await checkHealth(node.command ?? [], '127.0.0.1:8080')).toBe(200);
  expect(Object.keys(node.environment)).toEqual(expect.arrayContaining(['PARLEY_DATABASE_URL', 'PARLEY_SERVE_TOKEN']));
  for (const [name] of nodes) expect(read('proxy.conf')).toContain(`server ${name}:7420`);
});

test('the container of the cluster starts, and its probes are answered', async () => {
  const documents = parseAllDocuments(read('kubernetes/parley.yaml')).map((document) => document.toJS());
  const deployment = documents.find(({ kind }) => kind === 'Deployment');
  const [container] = deployment.spec.template.spec.containers;
  const [header] = container.readinessProbe.httpGet.httpHeaders;
  expect(container.readinessProbe.httpGet.path).toBe('/healthz');
  expect(await checkHealth(container.args, header.value)).toBe(200);
  const claims = documents.filter(({ kind }) => kind === 'PersistentVolumeClaim').map(({ metadata }) => metadata.name);
  expect(claims).toEqual(
    deployment.spec.template.spec.volumes.map(
      (volume: { persistentVolumeClaim: { claimName: string } }) => volume.persistentVolumeClaim.claimName,
    ),
  );
});

test('the default command of the image starts and answers its health check', async () => {
  const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(read('Dockerfile').replace(/^HEALTHCHECK.*$/m, '')) ?? [];
  expect(await checkHealth(JSON.parse(command), '127.0.0.1:7420')).toBe(200);
});

test('every file and every variable of the compose file exists', () => {
  const text = read('compose.yaml');
  for (const [, path = ''] of text.matchAll(/- \.\/([\w.-]+):/g))
    expect(existsSync(join(folder, path)), path).toBe(true);
  const variables = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name as string);
  for (const name of variables) expect(read('env.example')).toMatch(new RegExp(`^${name}=`, 'm'));
});

test('the role of the database is not exempt from row-level security', async () => {
  const { superuserUrl } = await createTestDatabase();
  const sql = postgres(superuserUrl, { max: 1 });
  try {
    // With other names, because the server of the tests has a role with this one.
    const text = read('database.sql').replaceAll('parley', 'deployed').replace(":'password'", "'p'");
    for (const statement of text.replaceAll(/^--.*$/gm, '').split(';'))
      if (statement.trim()) await sql.unsafe(statement);
    expect(await sql`select rolsuper, rolbypassrls from pg_roles where rolname = 'deployed'`).toEqual([
      { rolsuper: false, rolbypassrls: false },
    ]);
  } finally {
    await sql.end();
  }
});
