// Documents: a small agent that the examples are played to, so that every frame shown was really on the wire.
import { createAgent } from '../../src/app/compose.ts';
import { defaultSettings } from '../../src/app/settings-table.ts';
import { commandTable } from '../../src/commands/table.ts';
import type { Files, Ports, Processes } from '../../src/contracts/index.ts';
import { omp } from '../../src/dialects/omp/index.ts';
import { serve } from '../../src/server/index.ts';
import { createCountingIds } from '../../src/testing/counting-ids.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { createScriptedModels, type ScriptStep, scriptedModel } from '../../src/testing/scripted-model.ts';
import { createScriptedTools } from '../../src/testing/scripted-tool.ts';
import { createMemoryTransport } from '../../src/transports/index.ts';

export type Frame = Record<string, unknown>;

const CWD = '/home/ada/project';

const models = [
  { ...scriptedModel, id: 'example-1', name: 'Example 1', provider: 'example' },
  { ...scriptedModel, id: 'offline', name: 'Offline', provider: 'parley' },
];

/** Plays lines to a fresh agent, each after the work of the one before, and returns everything that it said. */
export async function play(
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
  const codec = omp.codec({ version: '0.0.0', stream });
  const served = serve({ transport, codec, commands: commandTable, hub, ports, onEof: 'finish' });
  const frames: Frame[] = [];
  const read = async () => frames[frames.push(JSON.parse(await host.next())) - 1] as Frame;
  for (const line of lines) {
    host.send(JSON.stringify(line));
    while ((await read()).id !== line.id);
    await session.runs.settled();
  }
  host.end();
  await served;
  await close();
  transport.close();
  for await (const text of host.frames()) frames.push(JSON.parse(text));
  return frames;
}

/** A world with one directory in it, where every command says the same. Nothing here touches the machine. */
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
    send: () => Promise.reject(new Error('The examples use no network')),
    fetch: () => Promise.reject(new Error('The examples use no network')),
    log: () => {},
    toolEnv: {},
    platform: 'linux',
    tryPatterns: async () => [],
    renderMarkup: async () => [],
  };
}
