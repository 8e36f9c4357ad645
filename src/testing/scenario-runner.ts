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
import { createScriptedTools, SCRIPTED_TOOL_FIELDS } from './scripted-tools.ts';
import { createStepHandlers, type RunningScenario } from './step-handlers.ts';
import { type Keyword, parseFields, type TranscriptStep } from './transcript.ts';

/** Where and how a transcript is run. */
export interface ScenarioOptions {
  /** An empty directory. The project is created in `project`, the agent's files in `home`. */
  directory: string;
  /** The name of a dialect, such as `omp`. */
  dialect: string;
  /** The name of the transcript, for error messages. */
  file?: string;
}

export interface ScenarioRunner {
  runStep(keyword: Keyword, argument: string): Promise<void>;
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

export async function createScenarioRunner(
  steps: readonly TranscriptStep[],
  options: ScenarioOptions,
): Promise<ScenarioRunner> {
  const scenario = await startScenario(steps, options);
  const stepHandlers = createStepHandlers(scenario);
  return {
    async runStep(keyword, argument) {
      await stepHandlers[keyword](argument);
    },
    async close() {
      scenario.host.end();
      await scenario.agent.close();
      await scenario.served;
    },
  };
}

async function startScenario(steps: readonly TranscriptStep[], options: ScenarioOptions): Promise<RunningScenario> {
  const cwd = join(options.directory, 'project');
  await mkdir(cwd, { recursive: true });
  for (const { argument } of steps.filter((step) => step.keyword === 'setup-file'))
    await writeProjectFile(cwd, argument);
  const start = Object.assign({}, ...parseStepValues(steps, 'option')) as ScenarioStartOptions;
  await writeExtensions(steps, join(options.directory, 'home', 'extensions'));
  const clock = createFakeClock();
  const ports: Ports = { ...createSystemPorts({}), clock, ids: createCountingIds() };
  const models = createScriptedModels([], { now: () => clock.now(), ...parseModels(steps) });
  const tools = createScriptedTools(
    steps
      .filter(({ keyword }) => keyword === 'tool')
      .map(({ argument }) => parseFields(argument, SCRIPTED_TOOL_FIELDS)),
  );
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
    ? createMultiSessionAgent(agentOptions, dialect.name)
    : await createSingleSessionAgent(agentOptions, start.trustReason ?? 'undecided');
  const { host, served } = serveAgent(agent, dialect, ports, start);
  agent.offerProjectTrust();
  const frames = createFrameReader(() => host.next());
  return { cwd, ports, clock, models, tools, agent, host, frames, matcher: createMatcher({ $cwd: cwd }), served };
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

function parseStepValues<T>(steps: readonly TranscriptStep[], keyword: Keyword): T[] {
  return steps.filter((step) => step.keyword === keyword).map((step) => JSON.parse(step.argument) as T);
}

/** The models of the transcript. Each `available-model` line has the fields in which a model differs from the default. */
function parseModels(steps: readonly TranscriptStep[]): { models?: Model[]; scopedModels?: Model[] } {
  const models = parseStepValues<Partial<Model>>(steps, 'available-model').map((model) => ({
    ...scriptedModel,
    ...model,
  }));
  const scopeIds = parseStepValues<string[]>(steps, 'scoped-models').flat();
  const scopedModels = models.filter((model) => scopeIds.includes(model.id));
  return { ...(models.length > 0 ? { models } : {}), ...(scopedModels.length > 0 ? { scopedModels } : {}) };
}
