// A session with a scripted model that several clients in memory use.
import { createAgent } from '../../../src/app/create-agent.ts';
import type { Line } from '../../../src/base/index.ts';
import { commandTable } from '../../../src/commands/command-table.ts';
import type { AgentSession, Ports, SessionStore } from '../../../src/contracts/index.ts';
import { loadDialect } from '../../../src/dialects/index.ts';
import { addPosition } from '../../../src/dialects/positioned-frame.ts';
import type { ClientAccess } from '../../../src/protocol/index.ts';
import { serveClient } from '../../../src/server/shared/serve-client.ts';
import { SharedSessions } from '../../../src/server/shared/shared-sessions.ts';
import { defaultSettings } from '../../../src/settings/settings-table.ts';
import { createCountingIds } from '../../../src/testing/counting-ids.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { createScriptedModels, type ScriptStep } from '../../../src/testing/scripted-models.ts';
import { createMemoryTransport } from '../../../src/transports/index.ts';
import { waitUntil } from '../../support/wait-until.ts';

export type Frame = Record<string, unknown> & { type: string };

interface ClientOptions {
  access?: ClientAccess;
  after?: string;
  dialect?: string;
  stream?: 'full' | 'delta';
  maxWaitingBytes?: number;
  /** Default: the session of the agent. */
  session?: AgentSession;
  /** Replaces what the client sends. */
  lines?: AsyncIterable<Line>;
}

/** The same session as another object, as if it had been closed and opened again. */
export function openAgain(session: AgentSession): AgentSession {
  return new Proxy(session, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function runCallbacks(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Without a store nothing is stored. */
export async function createSharedSession(script: readonly ScriptStep[], store?: SessionStore) {
  const clock = createFakeClock();
  const ports = {
    ...{ clock, ids: createCountingIds(), log: () => {}, toolEnv: {}, platform: 'linux' },
    files: { info: async () => undefined, list: async () => [] },
    processes: { killAll: async () => {} },
  } as unknown as Ports;
  const models = createScriptedModels([...script]);
  const holds = script.flatMap((step) => ('hold' in step && step.hold !== undefined ? [step.hold] : []));
  const agent = await createAgent({
    ...{ cwd: '/nowhere', agentDirectory: '/nowhere/else', settings: defaultSettings, ports, models },
    ...{ persist: store !== undefined, store, toolNames: [] },
  });
  const shared = new SharedSessions(agent.hub, ports);
  /** Waits until the session is idle or an answer waits for the test, and all frames are delivered. Modules are loaded meanwhile. */
  const settle = async () => {
    await runCallbacks();
    await Promise.race([agent.session.runs.waitUntilSettled(), ...holds.map((name) => models.waitForHold(name))]);
    await runCallbacks();
    clock.advance(100);
    await runCallbacks();
  };
  const connect = async (name: string, options: ClientOptions = {}) => {
    const { access = 'full', after, dialect = 'omp', stream = 'delta', maxWaitingBytes = 1e9 } = options;
    const { session = agent.session, lines } = options;
    const { transport, host } = createMemoryTransport({ highWaterMark: 1000 });
    const frames: Frame[] = [];
    const closed: { reason: string; message: string }[] = [];
    const codec = (await loadDialect(dialect)).createCodec({ version: '0', stream, addPosition });
    void serveClient({
      ...{ shared, codec, commands: commandTable, name, access, after, maxWaitingBytes, session },
      transport: lines ? { ...transport, lines } : transport,
      services: { listModels: () => agent.hub.listModels() },
      close(reason, message) {
        closed.push({ reason, message });
        transport.close();
      },
    });
    void (async () => {
      for await (const line of host.frames()) frames.push(JSON.parse(line));
    })();
    await runCallbacks();
    return {
      frames,
      closed,
      host,
      /** Frames with a sequence number. */
      get events() {
        return frames.filter(
          (frame) => 'seq' in frame && !['session_attached', 'session_snapshot'].includes(frame.type),
        );
      },
      /** Sends a call and waits for its reply. */
      async send(frame: Frame) {
        host.send(JSON.stringify(frame));
        await waitUntil(() => frames.some(({ type, id }) => type === 'response' && id === frame.id));
        await settle();
      },
    };
  };
  return {
    ...{ agent, shared, connect, settle },
    /** Continues an answer that waits. */
    async release(name: string) {
      holds.splice(holds.indexOf(name), 1);
      models.release(name);
      await settle();
    },
    close: () => agent.close(),
  };
}
