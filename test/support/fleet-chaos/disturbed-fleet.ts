// Three nodes with one database, and what happens to them: nodes and the database are killed, suspended and cut off.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createTestServer, type TestServer } from '../database.ts';
import { FLEET_TOKEN } from '../fleet.ts';
import { createDirectories, type ProgramDirectories } from '../program.ts';
import { type Server, startServer } from '../server.ts';
import { createTemporaryDirectory } from '../temporary-directory.ts';
import { type CutProxy, startCutProxy } from './cut-proxy.ts';
import { startJobModel } from './job-model.ts';

export interface FleetNode {
  readonly index: number;
  readonly proxy: CutProxy;
  /** Absent while it is not running. */
  server: Server | undefined;
  /** It cannot answer at the moment. */
  isDisturbed: boolean;
}

export interface DisturbedFleet {
  readonly nodes: readonly FleetNode[];
  readonly database: TestServer;
  readonly superuserUrl: string;
  readonly cwd: string;
  readonly effectsFile: string;
  readonly takeoverMs: number;
  /** What nodes wrote to stderr that ended without being killed. */
  readonly crashes: readonly string[];
  start(node: FleetNode): Promise<void>;
}

const NODES = 3;
const TAKEOVER_S = 3;

export async function startDisturbedFleet(): Promise<DisturbedFleet> {
  const cwd = createTemporaryDirectory();
  const effectsFile = join(cwd, 'effects');
  writeFileSync(effectsFile, '');
  const [model, database] = await Promise.all([startJobModel(effectsFile), createTestServer(onTestFinished)]);
  const { url, superuserUrl } = await database.createDatabase();
  const directories: ProgramDirectories[] = Array.from({ length: NODES }, () => ({ ...createDirectories(), cwd }));
  for (const { home } of directories)
    writeFileSync(join(home, 'models.json'), JSON.stringify(describeModel(model.url)));
  const nodes = await Promise.all(
    directories.map(async (_, index): Promise<FleetNode> => {
      const proxy = await startCutProxy(database.port);
      onTestFinished(() => proxy.close());
      return { index, proxy, server: undefined, isDisturbed: false };
    }),
  );
  const crashes: string[] = [];
  const start = async (node: FleetNode) => {
    const address = Object.assign(new URL(url), { port: String(node.proxy.port) }).href;
    const env = { PARLEY_DATABASE_URL: address, PARLEY_SERVE_TOKEN: FLEET_TOKEN };
    const home = (directories[node.index] as ProgramDirectories).home;
    const flags = [
      '--log-file',
      process.env.CHAOS_LOGS ? `${process.env.CHAOS_LOGS}/node-${node.index}` : join(home, 'log'),
      '--provider',
      'own',
      '--model',
      'm',
      '--set',
      `database.takeoverSeconds=${TAKEOVER_S}`,
    ];
    node.server = await startServer(flags, { directories: directories[node.index] as ProgramDirectories, env });
    node.isDisturbed = false;
    const { stderr } = node.server.program;
    let text = '';
    stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    stderr.once('close', () => {
      if (!node.isDisturbed) crashes.push(text);
    });
  };
  await Promise.all(nodes.map(start));
  return { nodes, database, superuserUrl, cwd, effectsFile, takeoverMs: TAKEOVER_S * 1000, crashes, start };
}

function describeModel(url: string) {
  const models = [{ id: 'm', contextWindow: 1_000_000 }];
  return { providers: { own: { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'k', models } } };
}
