// Runs a scripted agent for the examples, so that every frame in the documents was produced by the program.
import { createAgent } from '../../src/app/create-agent.ts';
import { commandsByName } from '../../src/commands/index.ts';
import type { Files, Ports, Processes } from '../../src/contracts/index.ts';
import { omp } from '../../src/dialects/omp/index.ts';
import { serve } from '../../src/server/index.ts';
import { defaultSettings } from '../../src/settings/settings-table.ts';
import { createCountingIds } from '../../src/testing/counting-ids.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { createScriptedModels, type ScriptStep, scriptedModel } from '../../src/testing/scripted-models.ts';
import { createScriptedTools } from '../../src/testing/scripted-tools.ts';
import { createMemoryTransport } from '../../src/transports/index.ts';

export type Frame = Record<string, unknown>;

const CWD = '/home/ada/project';

const models = [
  { ...scriptedModel, id: 'example-1', name: 'Example 1', provider: 'example' },
  { ...scriptedModel, id: 'offline', name: 'Offline', provider: 'parley' },
];

/** Sends lines to a new agent, each after the previous one has settled, and returns all frames of the agent. */
export async function runExample(
  lines: readonly Frame[],
  script: readonly ScriptStep[],
  stream: 'full' | 'delta' = 'full',
): Promise<Frame[]> {
  const ports = createPorts();
  const { session, hub, close } = await createAgent({
    cwd: CWD,
    agentDirectory: '/home/ada/.parley',
    settings: defaultSettings,
    ports,
    persist: false,
    models: createScriptedModels(script, { models, now: ports.clock.now }),
    tools: createScriptedTools([{ name: 'count', updates: ['3 lines'], text: '42 lines', details: { lines: 42 } }])
      .tools,
  });
  const { transport, host } = createMemoryTransport();
  const codec = omp.createCodec({ version: '0.0.0', stream });
  const served = serve({ transport, codec, commands: commandsByName, hub, ports, onEof: 'finish' });
  const frames: Frame[] = [];
  const read = async () => frames[frames.push(JSON.parse(await host.next())) - 1] as Frame;
  for (const line of lines) {
    host.send(JSON.stringify(line));
    while ((await read()).id !== line.id);
    await session.runs.waitUntilSettled();
  }
  host.end();
  await served;
  await close();
  transport.close();
  for await (const text of host.frames()) frames.push(JSON.parse(text));
  return frames;
}

/** Ports with one directory and commands with a fixed output. They use nothing of the machine. */
function createPorts(): Ports {
  const files: Pick<Files, 'info' | 'list'> = {
    list: async () => [],
    info: async (path) => (path === CWD ? { kind: 'directory', size: 0, modifiedMs: 0, mode: 0o755 } : undefined),
  };
  const processes: Processes = {
    async spawn({ onOutput }) {
      onOutput(new TextEncoder().encode(' M src/parser.ts\n'), 'stdout');
      return { pid: 1, finished: Promise.resolve({ code: 0, signal: null }), kill: () => {} };
    },
    killAll: async () => {},
  };
  return {
    clock: createFakeClock(),
    ids: createCountingIds(),
    files: files as Files,
    processes,
    sendHttp: () => Promise.reject(new Error('The examples use no network')),
    fetch: () => Promise.reject(new Error('The examples use no network')),
    log: () => {},
    toolEnv: {},
    platform: 'linux',
    testPatterns: async () => [],
    renderMarkup: async () => [],
  };
}
