// For tests of the client: an agent in the same process and a client that is connected to it.
import { onTestFinished } from 'vitest';
import { createAgent } from '../../src/app/create-agent.ts';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { type Client, type ClientTransport, createClient, type ExitInfo } from '../../src/client/index.ts';
import { commandTable } from '../../src/commands/command-table.ts';
import type { HostUi, SessionHub, Tool } from '../../src/contracts/index.ts';
import { omp } from '../../src/dialects/index.ts';
import { serve } from '../../src/server/index.ts';
import { defaultSettings } from '../../src/settings/settings-table.ts';
import {
  createFakeClock,
  createScriptedModels,
  type ScriptedModels,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { createMemoryTransport } from '../../src/transports/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

export interface MemoryAgent {
  readonly client: Client;
  readonly models: ScriptedModels;
  /** Sends UI requests like an extension does. */
  readonly ui: HostUi;
  /** All lines in both directions. Lines of the client start with `>`. */
  readonly wire: string[];
}

export interface MemoryAgentOptions {
  script?: readonly ScriptStep[];
  tools?: readonly Tool[];
  lineLimit?: number;
  onError?: (thrown: unknown) => void;
}

export async function startMemoryAgent(options: MemoryAgentOptions = {}): Promise<MemoryAgent> {
  const { agent, models, ports } = await createScriptedAgent(options);
  const { transport, host } = createMemoryTransport(options.lineLimit ? { lineLimit: options.lineLimit } : {});
  let ui: HostUi | undefined;
  const hub: SessionHub = {
    ...agent.hub,
    connect(listener, createUi) {
      ui = createUi(agent.session);
      return agent.hub.connect(listener, createUi);
    },
  };
  const codec = omp.createCodec({ version: '1.2.3', stream: 'full' });
  const served = serve({ transport, codec, commands: commandTable, hub, ports, onEof: 'finish' });
  const closed = served.then((): ExitInfo => {
    transport.close();
    return { reason: 'the agent has finished' };
  });
  const wire: string[] = [];
  const clientTransport: ClientTransport = {
    lines: recordLines(host.frames(), wire),
    write(line) {
      wire.push(`> ${line.trimEnd()}`);
      host.send(line);
    },
    end: () => host.end(),
    closed,
  };
  onTestFinished(async () => {
    host.end();
    await agent.close();
    await served;
  });
  return { client: createClient(clientTransport, { onError: options.onError }), models, ui: ui as HostUi, wire };
}

async function createScriptedAgent({ script = [], tools }: MemoryAgentOptions) {
  const directory = createTemporaryDirectory();
  const clock = createFakeClock();
  const ports = { ...createSystemPorts({}), clock };
  const models = createScriptedModels(script, { now: () => clock.now() });
  const agent = await createAgent({
    cwd: directory,
    agentDirectory: `${directory}/home`,
    settings: defaultSettings,
    ports,
    persist: false,
    models,
    tools,
  });
  return { agent, models, ports };
}

async function* recordLines(lines: AsyncIterable<string>, wire: string[]): AsyncGenerator<string> {
  for await (const line of lines) {
    wire.push(line);
    yield line;
  }
}
