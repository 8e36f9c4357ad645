// Three nodes with one database, which can be killed, suspended and cut off.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createTestServer, type TestServer } from '../database.ts';
import { FLEET_TOKEN } from '../fleet.ts';
import { createDirectories } from '../program.ts';
import { type Server, startServer } from '../server.ts';
import { createTemporaryDirectory } from '../temporary-directory.ts';
import { type ChaosNetwork, createProxyNetwork } from './chaos-network.ts';
import { NODES } from './chaos-plan.ts';
import { FleetProcess } from './fleet-process.ts';
import { type JobModelOptions, startJobModel } from './job-model.ts';

export interface DisturbedFleet {
  readonly network: ChaosNetwork['kind'];
  readonly nodes: readonly FleetProcess<Server>[];
  readonly database: TestServer;
  readonly superuserUrl: string;
  readonly effectsFile: string;
  /** What processes wrote to stderr that ended without being killed. */
  readonly crashes: readonly string[];
}

interface ProcessContext {
  readonly network: ChaosNetwork;
  readonly databaseUrl: string;
  readonly modelUrl: string;
  readonly cwd: string;
  onCrash(text: string): void;
}

const TAKEOVER_S = 3;

/** `hosts`: further addresses under which clients reach the nodes. */
export async function startDisturbedFleet(
  options: Pick<JobModelOptions, 'onStep'> & { readonly hosts: readonly string[] },
): Promise<DisturbedFleet> {
  const cwd = createTemporaryDirectory();
  const effectsFile = join(cwd, 'effects');
  writeFileSync(effectsFile, '');
  const network = createProxyNetwork();
  const { onStep, hosts } = options;
  const [model, database] = await Promise.all([
    startJobModel({ effectsFile, onStep }),
    createTestServer(onTestFinished),
  ]);
  const { url: databaseUrl, superuserUrl } = await database.createDatabase();
  const crashes: string[] = [];
  const context: ProcessContext = {
    ...{ network, databaseUrl, modelUrl: model.url, cwd },
    onCrash: (text) => void crashes.push(text),
  };
  const nodes = await Promise.all(
    Array.from({ length: NODES }, (_, index) => createNode(context, `node-${index}`, hosts)),
  );
  await Promise.all(nodes.map((node) => node.start()));
  return { network: network.kind, nodes, database, superuserUrl, effectsFile, crashes };
}

async function createNode(context: ProcessContext, name: string, hosts: readonly string[]) {
  const { link, flags, directories } = await prepareProcess(context, name);
  const env = { PARLEY_DATABASE_URL: link.databaseUrl, PARLEY_SERVE_TOKEN: FLEET_TOKEN };
  const args = [...flags, '--set', `serve.allowedHosts=${JSON.stringify(hosts)}`];
  const { onCrash } = context;
  return new FleetProcess<Server>({ name, link, onCrash, launch: () => startServer(args, { directories, env }) });
}

/** Each process has its own user directory, as on another machine. All of them have the same working directory. */
async function prepareProcess({ network, databaseUrl, modelUrl, cwd }: ProcessContext, name: string) {
  const directories = { ...createDirectories(), cwd };
  const models = [{ id: 'm', contextWindow: 1_000_000 }];
  const own = { baseUrl: `${modelUrl}/v1`, api: 'openai-completions', apiKey: 'k', models };
  writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers: { own } }));
  const log = process.env.CHAOS_LOGS ? join(process.env.CHAOS_LOGS, name) : join(directories.home, 'log');
  const model = ['--provider', 'own', '--model', 'm'];
  const flags = ['--log-file', log, ...model, '--set', `database.takeoverSeconds=${TAKEOVER_S}`];
  return { link: await network.createLink(databaseUrl), flags, directories };
}
