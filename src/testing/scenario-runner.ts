// Runs the steps of a transcript with real tools, files and logs, and with scripted models, ids and clock.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentOptions } from '../app/agent-options.ts';
import { createSystemPorts } from '../app/system-ports/index.ts';
import type { Dialect, Ports } from '../contracts/index.ts';
import { loadDialect } from '../dialects/index.ts';
import type { Model } from '../protocol/index.ts';
import { serve } from '../server/index.ts';
import { defaultSettings } from '../settings/index.ts';
import { createMemoryTransport } from '../transports/index.ts';
import type { MemoryHost } from '../transports/memory-transport.ts';
import { createCountingIds } from './counting-ids.ts';
import { createFakeClock } from './fake-clock.ts';
import { createFrameReader } from './frame-reader.ts';
import { createMatcher } from './matcher.ts';
import { createMultiSessionAgent, createSingleSessionAgent, type ScenarioAgent } from './scenario-agent.ts';
import { writeExtensions, writeProjectFile } from './scenario-project.ts';
import { createScriptedModels, scriptedModel } from './scripted-models.ts';
import { createScriptedTools } from './scripted-tools.ts';
import type { Step } from './step.ts';
import { createStepHandlers, type RunningScenario } from './step-handlers.ts';

export interface ScenarioOptions {
  /** An empty directory. The project is created in `project`, the agent's files in `home`. */
  directory: string;
  dialect: string;
}

export interface ScenarioRunner {
  runStep(step: Step): Promise<void>;
  close(): Promise<void>;
}

interface ScenarioStartOptions extends Partial<Omit<AgentOptions, 'settings'>> {
  settings?: Partial<AgentOptions['settings']>;
  stream?: 'full' | 'delta';
  onEof?: 'finish' | 'abort';
  lineLimit?: number;
  /** Why the project is not trusted. */
  trustReason?: 'flag' | 'saved' | 'changed' | 'undecided';
}

export async function createScenarioRunner(steps: readonly Step[], options: ScenarioOptions): Promise<ScenarioRunner> {
  const scenario = await startScenario(steps, options);
  const stepHandlers = createStepHandlers(scenario);
  return {
    async runStep(step) {
      const handler = stepHandlers[step.keyword];
      if (!handler) throw new Error(`unknown keyword ${step.keyword}`);
      await handler(step.argument);
    },
    async close() {
      scenario.host.end();
      await scenario.agent.close();
      await scenario.served;
    },
  };
}

async function startScenario(steps: readonly Step[], options: ScenarioOptions): Promise<RunningScenario> {
  const cwd = join(options.directory, 'project');
  await mkdir(cwd, { recursive: true });
  for (const { argument } of steps.filter((step) => step.keyword === 'given')) await writeProjectFile(cwd, argument);
  const start = Object.assign({}, ...parseStepValues(steps, 'option')) as ScenarioStartOptions;
  await writeExtensions(steps, join(options.directory, 'home', 'extensions'));
  const clock = createFakeClock();
  const ports: Ports = { ...createSystemPorts({}), clock, ids: createCountingIds() };
  const models = createScriptedModels([], { now: () => clock.now(), ...parseModels(steps) });
  const tools = createScriptedTools(parseStepValues(steps, 'tool'));
  const dialect = await loadDialect(options.dialect);
  const agentOptions: AgentOptions = {
    cwd,
    agentDirectory: join(options.directory, 'home'),
    home: join(options.directory, 'user'),
    env: {},
    ports,
    models,
    tools: tools.tools,
    ...start,
    settings: { ...defaultSettings, ...dialect.defaultSettings, ...start.settings },
  };
  const agent = dialect.isMultiSession
    ? createMultiSessionAgent(agentOptions)
    : await createSingleSessionAgent(agentOptions, start.trustReason ?? 'undecided');
  const { host, served } = serveAgent(agent, dialect, ports, start);
  agent.offerProjectTrust();
  const frames = createFrameReader(() => host.next());
  return { cwd, ports, clock, models, tools, agent, host, frames, matcher: createMatcher(), served };
}

function serveAgent(
  agent: ScenarioAgent,
  dialect: Dialect,
  ports: Ports,
  start: ScenarioStartOptions,
): { host: MemoryHost; served: Promise<void> } {
  const { transport, host } = createMemoryTransport(start.lineLimit ? { lineLimit: start.lineLimit } : {});
  const served = serve({
    transport,
    codec: dialect.createCodec({ version: '0.0.0', stream: start.stream ?? 'full' }),
    commands: agent.commands,
    hub: agent.hub,
    ports,
    onEof: start.onEof ?? 'finish',
  }).finally(() => transport.close());
  return { host, served };
}

function parseStepValues<T>(steps: readonly Step[], keyword: string): T[] {
  return steps.filter((step) => step.keyword === keyword).map((step) => JSON.parse(step.argument) as T);
}

/** The models of the transcript. Each `cast` line has the fields in which a model differs from the default. */
function parseModels(steps: readonly Step[]): { models?: Model[]; scope?: Model[] } {
  const models = parseStepValues<Partial<Model>>(steps, 'cast').map((model) => ({ ...scriptedModel, ...model }));
  const scopeIds = parseStepValues<string[]>(steps, 'scope').flat();
  const scope = models.filter((model) => scopeIds.includes(model.id));
  return { ...(models.length > 0 ? { models } : {}), ...(scope.length > 0 ? { scope } : {}) };
}
