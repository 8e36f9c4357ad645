// For tests of one session in the midst of its rooms: real files or failing ones, a scripted model, a clock that stands still.
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createPlaces } from '../../../src/app/trust/places.ts';
import type { AgentSession, Files, Ports, ResumedSession, SessionStore, Tool } from '../../../src/contracts/index.ts';
import { createSession } from '../../../src/core/index.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { createJsonlStore, type ProcessId } from '../../../src/store/index.ts';
import {
  createCountingIds,
  createFakeClock,
  createScriptedModels,
  createScriptedTools,
  type ScriptedModels,
  type ScriptStep,
} from '../../../src/testing/index.ts';
import { alone, processes } from '../../store/place.ts';

export interface Stage {
  readonly session: AgentSession;
  readonly models: ScriptedModels;
  readonly events: AgentEvent[];
  readonly store: SessionStore;
  /** Resolves when the run is over; throws when it is refused. */
  prompt(message: string): Promise<void>;
  notices(): string[];
}

export interface StageOptions {
  readonly directory: string;
  readonly files?: Files;
  readonly script: readonly ScriptStep[];
  readonly keepRecentTokens?: number;
  readonly tools?: readonly Tool[];
  /** Who opens the session; another one than `alone` finds that one dead. */
  readonly self?: ProcessId;
  /** The path of a session to go on with. */
  readonly session?: string;
}

export const another: ProcessId = { pid: 8765, startTime: 100, host: alone.host };

export async function setStage(options: StageOptions): Promise<Stage> {
  const { directory, self = alone } = options;
  const system = createSystemPorts({});
  const clock = createFakeClock();
  const ports: Ports = {
    ...system,
    clock,
    ids: createCountingIds(),
    ...(options.files ? { files: options.files } : {}),
  };
  const identity = processes([self]).identity(self);
  const store = createJsonlStore({ files: ports.files, clock, identity, directory: `${directory}/sessions` });
  const models = createScriptedModels(options.script, { now: () => clock.now() });
  const resumed: ResumedSession | undefined = options.session ? await store.resume(options.session) : undefined;
  const session = await createSession({
    ports,
    store,
    models,
    model: models.model,
    thinkingLevel: 'off',
    tools: async () => options.tools ?? createScriptedTools([{ name: 'note', text: 'noted' }]).tools,
    toolOptions: { shellPath: undefined, bashTimeout: undefined },
    runShell: () => Promise.reject(new Error('no shell here')),
    cwd: directory,
    agentDirectory: `${directory}/home`,
    places: createPlaces({
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
  });
  const events: AgentEvent[] = [];
  session.subscribe((event) => {
    // Growing messages are told by reference; what counts here is how things end.
    if (event.type !== 'message_update') events.push(event);
  });
  return {
    session,
    models,
    events,
    store,
    prompt: (message) => session.runs.prompt({ message, accepted: () => {} }),
    notices: () => events.flatMap((event) => (event.type === 'notice' ? [`${event.level}: ${event.message}`] : [])),
  };
}
