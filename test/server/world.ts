// A whole agent behind a wire in memory, whose model and tools go on only when the test says so. Nothing is kept on disk.
import { object } from 'valibot';
import { createAgent } from '../../src/app/compose.ts';
import { defaultSettings } from '../../src/app/settings-table.ts';
import { Fault } from '../../src/base/index.ts';
import { commandTable } from '../../src/commands/table.ts';
import { type Chunk, type ModelRequest, type Models, type Ports, type Tool, tool } from '../../src/contracts/index.ts';
import { omp } from '../../src/dialects/omp/index.ts';
import { MessageBuilder } from '../../src/llm/message-builder.ts';
import type { AssistantMessageEvent } from '../../src/protocol/index.ts';
import { serve } from '../../src/server/index.ts';
import { createCountingIds } from '../../src/testing/counting-ids.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { createMemoryTransport } from '../../src/transports/index.ts';
import { refusals } from '../support/strict-provider.ts';
import { Gates } from './gates.ts';

export type Frame = Record<string, unknown> & { type: string };

export interface Step {
  readonly direction: 'in' | 'out' | 'inside';
  readonly frame: Frame;
}

/** What the model does when it is asked. */
export type Answer = 'text' | 'call' | 'calls' | 'error' | 'length';

export interface World {
  readonly gates: Gates;
  /** Everything that went over the wire, both ways, in order, and between it the moments when a run was told to stop. */
  readonly timeline: readonly Step[];
  /** What a provider would have refused in the histories that the model was given. */
  readonly complaints: readonly string[];
  readonly isRunning: boolean;
  send(frame: Frame): void;
  sendRaw(bytes: Uint8Array): void;
  /** Closes stdin and waits for the end. */
  leave(): Promise<void>;
}

/** Lets everything that is ready go on. Nothing here waits for time. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** `onTold` sees each frame as it is written, and the ports that everything behind the wire uses. */
export async function createWorld(
  answers: readonly Answer[],
  gates = new Gates(),
  onTold: (frame: Frame, ports: Ports) => void = () => {},
): Promise<World> {
  const complaints: string[] = [];
  const timeline: Step[] = [];
  const stopped = () => void timeline.push({ direction: 'inside', frame: { type: 'stopped' } });
  const ports = createPorts();
  const agent = await createAgent({
    cwd: '/nowhere',
    agentDirectory: '/nowhere/else',
    settings: defaultSettings,
    ports,
    persist: false,
    models: createModels(answers, gates, complaints, stopped),
    tools: [gatedTool(gates)],
    toolNames: ['step'],
  });
  const { transport, host } = createMemoryTransport();
  // Noted as it is written: a reader would hear of it a few promises later.
  const write = (chunks: readonly Chunk[]) => {
    const line = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))).toString();
    const frame: Frame = JSON.parse(line);
    timeline.push({ direction: 'out', frame });
    onTold(frame, ports);
    return transport.write(chunks);
  };
  const served = serve({
    transport: { ...transport, write },
    codec: omp.codec({ version: '0', stream: 'delta' }),
    commands: commandTable,
    hub: agent.hub,
    ports,
    onEof: 'finish',
  });
  return {
    gates,
    timeline,
    complaints,
    get isRunning() {
      return agent.session.runs.isRunning;
    },
    send(frame) {
      timeline.push({ direction: 'in', frame });
      host.send(JSON.stringify(frame));
    },
    sendRaw: (bytes) => host.send(bytes),
    async leave() {
      gates.open();
      host.end();
      await served;
      await agent.close();
      transport.close();
    },
  };
}

function createPorts(): Ports {
  const ports: Partial<Ports> = {
    clock: createFakeClock(),
    ids: createCountingIds(),
    files: { info: async () => undefined } as unknown as Ports['files'],
    processes: {
      spawn: () => Promise.reject(new Fault('tool_failed', 'There are no processes here')),
      killAll: async () => {},
    },
    log: () => {},
    toolEnv: {},
    platform: 'linux',
  };
  return ports as Ports;
}

/** More requests than any conversation here needs: a run that never ends must not hang the tests. */
const ENDLESS = 100;

function createModels(answers: readonly Answer[], gates: Gates, complaints: string[], onStop: () => void): Models {
  let asked = 0;
  return {
    initial: async () => scriptedModel,
    find: async () => undefined,
    available: async () => [scriptedModel],
    scope: async () => undefined,
    ready: async () => {},
    stream(request) {
      complaints.push(...refusals(request.messages));
      if (request.messages.at(-1)?.role === 'assistant') complaints.push('the last word is the model’s own');
      request.signal.addEventListener('abort', onStop);
      if (asked === ENDLESS) complaints.push('the model is asked without end');
      const answer = asked < ENDLESS ? (answers[asked] ?? 'text') : 'error';
      return play(answer, ++asked, request, gates);
    },
  };
}

async function* play(
  answer: Answer,
  number: number,
  { model, signal }: ModelRequest,
  gates: Gates,
): AsyncGenerator<AssistantMessageEvent> {
  const builder = new MessageBuilder(model, 0);
  const stopped = () => builder.fail('aborted', 'Request was aborted');
  yield builder.start();
  await gates.pass(signal);
  if (signal.aborted) return yield stopped();
  yield builder.startText();
  yield builder.appendText(`answer ${number}`);
  await gates.pass(signal);
  if (signal.aborted) return yield stopped();
  yield builder.endText();
  if (answer === 'error') return yield builder.fail('error', 'It does not like this');
  const calls = { text: 0, length: 1, call: 1, calls: 3 }[answer];
  for (let count = 1; count <= calls; count++) {
    yield builder.startToolCall(`call_${number}_${count}`, 'step');
    yield builder.appendToolCall('{}');
    yield builder.endToolCall();
  }
  yield builder.finish(answer === 'length' ? 'length' : calls > 0 ? 'toolUse' : 'stop');
}

function gatedTool(gates: Gates): Tool {
  return tool({
    name: 'step',
    doc: 'Takes a step.',
    effect: 'read',
    params: object({}),
    async run(_, { signal, update }) {
      update({ content: [{ type: 'text', text: 'on the way' }] });
      await gates.pass(signal);
      if (signal.aborted) throw new Fault('aborted', 'Operation aborted');
      return { content: [{ type: 'text', text: 'done' }] };
    },
  }) as unknown as Tool;
}
