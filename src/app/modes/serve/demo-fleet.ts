// `parley serve --demo-fleet N`: a database and N nodes on this machine, for a first look.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDeferred, Fault, isRecord, LineSplitter, toJson, tryParseJson } from '../../../base/index.ts';
import type { RunningProcess } from '../../../contracts/index.ts';
import { resolveAgentDirectory } from '../../../settings/index.ts';
import { homeDirectory } from '../../../support/home-directory.ts';
import { startEmbeddedServer } from '../../fleet/embedded-server.ts';
import { createSystemPorts, type SystemPorts } from '../../system-ports/index.ts';
import { openDatabase } from '../../system-ports/postgres-database.ts';
import { printText } from '../print.ts';
import { createShutdown } from '../shutdown.ts';

export interface DemoFleetOptions {
  readonly nodes: number;
  /** The first port; 0 for any free ports. */
  readonly port: number;
  /** Passed to each node. */
  readonly argv: readonly string[];
  readonly json: boolean;
}

interface Node {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

const MAX_NODES = 10;
/** Of the program that a node prints before it serves. */
const MAX_OUTPUT = 20_000;

export function parseNodeCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_NODES) return count;
  throw new Fault('config', `--demo-fleet must be a number from 1 to ${MAX_NODES} (got ${text})`);
}

export async function runDemoFleet(options: DemoFleetOptions): Promise<never> {
  const ports = createSystemPorts({ agentDirectory: resolveAgentDirectory(process.env, homeDirectory()) });
  // Created by the server, which runs as another user if this process runs as root.
  const directory = join(tmpdir(), `parley-demo-fleet-${ports.ids.uuid()}`);
  const cleanUps: (() => Promise<unknown>)[] = [() => ports.files.remove(directory, { recursive: true })];
  let isStopping = false;
  const cleanUp = async () => {
    isStopping = true;
    await ports.processes.killAll();
    for (const act of cleanUps.splice(0).reverse()) await act().catch(() => {});
    await ports.close();
  };
  const shutdown = createShutdown(ports, cleanUp);
  try {
    const nodes = await startFleet(options, { ports, directory, cleanUps, isStopping: () => isStopping });
    await printText(options.json ? `${toJson({ nodes })}\n` : formatStart(nodes));
  } catch (problem) {
    await cleanUp();
    throw problem;
  }
  await createDeferred().promise;
  return shutdown.exit(0);
}

interface FleetContext {
  readonly ports: SystemPorts;
  readonly directory: string;
  /** Called in reverse order. */
  readonly cleanUps: (() => Promise<unknown>)[];
  isStopping(): boolean;
}

async function startFleet(
  options: DemoFleetOptions,
  { ports, directory, cleanUps, isStopping }: FleetContext,
): Promise<Node[]> {
  const server = await startEmbeddedServer({ directory, ports });
  cleanUps.push(() => server.stop('immediate'));
  const url = await createDatabase(server.url, ports);
  const token = `${ports.ids.uuid()}${ports.ids.uuid()}`;
  const started = Array.from({ length: options.nodes }, (_, index) =>
    startNode(ports, options, { index, isStopping, env: { PARLEY_DATABASE_URL: url, PARLEY_SERVE_TOKEN: token } }),
  );
  return Promise.all(started);
}

/** With an ordinary role: row-level security does not hold for a superuser. */
async function createDatabase(superuserUrl: string, { ids }: Pick<SystemPorts, 'ids'>): Promise<string> {
  const database = await openDatabase({ url: superuserUrl, applicationName: 'parley demo' });
  const password = ids.uuid();
  try {
    await database.query(`create role parley login password '${password}'`);
    await database.query('create database parley owner parley');
  } finally {
    await database.close();
  }
  const url = new URL(superuserUrl);
  return Object.assign(url, { username: 'parley', password, pathname: '/parley' }).href;
}

async function startNode(
  { processes }: Pick<SystemPorts, 'processes'>,
  { port, argv }: DemoFleetOptions,
  { index, env, isStopping }: { index: number; env: Record<string, string>; isStopping(): boolean },
): Promise<Node> {
  const ready = createDeferred<Node>();
  const splitter = new LineSplitter();
  let output = '';
  const onOutput = (chunk: Uint8Array, stream: 'stdout' | 'stderr') => {
    output = `${output}${Buffer.from(chunk)}`.slice(-MAX_OUTPUT);
    if (stream === 'stderr') return;
    for (const line of splitter.push(chunk)) {
      const value = 'text' in line ? tryParseJson(line.text) : undefined;
      if (isRecord(value) && typeof value.url === 'string') ready.resolve(value as unknown as Node);
    }
  };
  const child: RunningProcess = await processes.spawn({
    command: process.execPath,
    args: [process.argv[1] ?? '', 'serve', '--json', '--port', String(port === 0 ? 0 : port + index), ...argv],
    cwd: process.cwd(),
    // With the keys of the model providers.
    env: { ...(process.env as Record<string, string>), ...env },
    shouldKeepKeys: true,
    onOutput,
  });
  void child.finished.then(() => {
    if (isStopping()) return;
    ready.reject(new Fault('config', `Node ${index + 1} does not start: ${output.trim()}`));
    process.stderr.write(`Node ${index + 1} (process ${child.pid}) has ended. The other nodes continue its runs.\n`);
  });
  return ready.promise;
}

function formatStart(nodes: readonly Node[]): string {
  const rows = nodes.map(
    ({ url, token, pid }, index) => `  node ${index + 1}  process ${pid}  ${url}?token=${token}\n`,
  );
  const [first] = nodes;
  return `A fleet of ${nodes.length} nodes with one database:\n${rows.join('')}
Every node serves every session. Open one on node 1, send a prompt, and end that node during the run:
  kill -9 ${first?.pid}
Another node continues the run within seconds. The sessions are deleted at the end.
Press Ctrl+C to stop.
`;
}
