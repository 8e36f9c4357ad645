// Test helper: opens a session with real or failing files, a scripted model and a fake clock.
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import type {
  AgentSession,
  Files,
  Hooks,
  Ports,
  ProcessId,
  ResumedSession,
  SessionMcp,
  SessionStore,
  Tool,
} from '../../../src/contracts/index.ts';
import { createSession, type SessionOptions } from '../../../src/core/index.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { createJsonlStore } from '../../../src/store/index.ts';
import {
  createCountingIds,
  createFakeClock,
  createScriptedModels,
  createScriptedTools,
  type FakeClock,
  type ScriptedModels,
  type ScriptStep,
} from '../../../src/testing/index.ts';
import { createResourceLocator } from '../../../src/trust/resource-locator.ts';
import { createFakeProcesses, currentProcess } from '../../store/store-fixture.ts';

export interface SessionFixture {
  readonly session: AgentSession;
  readonly models: ScriptedModels;
  readonly events: AgentEvent[];
  readonly store: SessionStore;
  /** Resolves at the end of the run; rejects if the prompt is refused. */
  prompt(message: string): Promise<void>;
  notices(): string[];
}

export interface SessionFixtureOptions {
  readonly directory: string;
  readonly files?: Files;
  readonly script: readonly ScriptStep[];
  readonly keepRecentTokens?: number;
  readonly tools?: readonly Tool[];
  readonly mcp?: SessionMcp;
  readonly hooks?: readonly Hooks[];
  /** The process that opens the session. Any process other than `alone` finds that `alone` has ended. */
  readonly self?: ProcessId;
  /** The path of a session to resume. */
  readonly session?: string;
  /** Default: one with files in `directory`. */
  readonly store?: SessionStore;
  readonly clock?: FakeClock;
  readonly overrides?: Partial<SessionOptions>;
}

export const otherProcess: ProcessId = { pid: 8765, startTime: 100, host: currentProcess.host };

export async function openSession(options: SessionFixtureOptions): Promise<SessionFixture> {
  const { directory, self = currentProcess } = options;
  const system = createSystemPorts({});
  const clock = options.clock ?? createFakeClock();
  const ports: Ports = {
    ...system,
    clock,
    ids: createCountingIds(),
    ...(options.files ? { files: options.files } : {}),
  };
  const identity = createFakeProcesses([self]).identity(self);
  const files = { files: ports.files, clock, identity, directory: `${directory}/sessions` };
  const store = options.store ?? createJsonlStore(files);
  const models = createScriptedModels(options.script, { now: () => clock.now() });
  const resumed: ResumedSession | undefined = options.session ? await store.resume(options.session) : undefined;
  const session = await createSession({
    ports,
    store,
    models,
    model: models.model,
    thinkingLevel: 'off',
    tools: async () => options.tools ?? createScriptedTools([{ name: 'note', text: 'noted' }]).tools,
    mcp: options.mcp,
    hooks: options.hooks,
    toolOptions: { shellPath: undefined, bashTimeout: undefined },
    runShell: () => Promise.reject(new Error('no shell in this test')),
    cwd: directory,
    agentDirectory: `${directory}/home`,
    resourceLocator: createResourceLocator({
      files: ports.files,
      cwd: directory,
      agentDirectory: `${directory}/home`,
      home: directory,
      trusted: false,
    }),
    resumed,
    steeringMode: 'one-at-a-time',
    followUpMode: 'one-at-a-time',
    interruptMode: 'wait',
    compaction: { enabled: false, reserveTokens: 16_384, keepRecentTokens: options.keepRecentTokens ?? 20_000 },
    retry: { enabled: false, maxRetries: 0, baseDelayMs: 1, maxDelayMs: 1 },
    ...options.overrides,
  });
  const events: AgentEvent[] = [];
  session.subscribe((event) => {
    // message_update events share one growing message object, so they are not recorded.
    if (event.type !== 'message_update') events.push(event);
  });
  return {
    session,
    models,
    events,
    store,
    prompt: (message) => session.runs.prompt({ message, onAccepted: () => {} }),
    notices: () => events.flatMap((event) => (event.type === 'notice' ? [`${event.level}: ${event.message}`] : [])),
  };
}
