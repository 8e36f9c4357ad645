// A complete agent with a server and an in-memory transport. Its model and tools wait at gates that the test releases.
import { object } from 'valibot';
import { createAgent } from '../../src/app/create-agent.ts';
import { Fault } from '../../src/base/index.ts';
import { commandTable } from '../../src/commands/command-table.ts';
import {
  type Chunk,
  type ModelRegistry,
  type ModelRequest,
  type Ports,
  type Tool,
  tool,
} from '../../src/contracts/index.ts';
import { omp } from '../../src/dialects/omp/index.ts';
import { MessageBuilder } from '../../src/llm/message-builder.ts';
import type { AssistantMessageEvent } from '../../src/protocol/index.ts';
import { serve } from '../../src/server/index.ts';
import { defaultSettings } from '../../src/settings/settings-table.ts';
import { createCountingIds } from '../../src/testing/counting-ids.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { scriptedModel } from '../../src/testing/scripted-models.ts';
import { createMemoryTransport } from '../../src/transports/index.ts';
import { findHistoryErrors } from '../support/history-check.ts';
import { Gates } from './gates.ts';

export type Frame = Record<string, unknown> & { type: string };

export interface Step {
  readonly direction: 'in' | 'out' | 'inside';
  readonly frame: Frame;
}

/** The kind of response of the scripted model. */
export type Answer = 'text' | 'call' | 'calls' | 'error' | 'length';

export interface Harness {
  readonly gates: Gates;
  /** All frames in both directions, in order, and a `stopped` step for each abort of a model request. */
  readonly timeline: readonly Step[];
  /** Problems that a provider would have refused in the requested messages. */
  readonly complaints: readonly string[];
  readonly isRunning: boolean;
  send(frame: Frame): void;
  sendRaw(bytes: Uint8Array): void;
  /** Ends the input and waits until the server has ended. */
  close(): Promise<void>;
}

/** Lets all pending microtasks run. Nothing in these tests waits for time. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** `onFrame` is called with each frame when it is written, and with the ports of the agent. */
export async function createHarness(
  answers: readonly Answer[],
  gates = new Gates(),
  onFrame: (frame: Frame, ports: Ports) => void = () => {},
): Promise<Harness> {
  const complaints: string[] = [];
  const timeline: Step[] = [];
  const onStop = () => void timeline.push({ direction: 'inside', frame: { type: 'stopped' } });
  const ports = createPorts();
  const agent = await createAgent({
    cwd: '/nowhere',
    agentDirectory: '/nowhere/else',
    settings: defaultSettings,
    ports,
    persist: false,
    models: createModels(answers, gates, complaints, onStop),
    tools: [createGatedTool(gates)],
    toolNames: ['step'],
  });
  const { transport, host } = createMemoryTransport();
  // Recorded when it is written: a reader would receive it some microtasks later.
  const write = (chunks: readonly Chunk[]) => {
    const line = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))).toString();
    const frame: Frame = JSON.parse(line);
    timeline.push({ direction: 'out', frame });
    onFrame(frame, ports);
    return transport.write(chunks);
  };
  const served = serve({
    transport: { ...transport, write },
    codec: omp.createCodec({ version: '0', stream: 'delta' }),
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
    async close() {
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
      spawn: () => Promise.reject(new Fault('tool_failed', 'No processes in this test')),
      killAll: async () => {},
    },
    log: () => {},
    toolEnv: {},
    platform: 'linux',
  };
  return ports as Ports;
}

/** More requests than any test needs, so that an endless run does not hang the tests. */
const MAX_REQUESTS = 100;

function createModels(
  answers: readonly Answer[],
  gates: Gates,
  complaints: string[],
  onStop: () => void,
): ModelRegistry {
  let requestCount = 0;
  return {
    chooseInitial: async () => scriptedModel,
    find: async () => undefined,
    listAvailable: async () => [scriptedModel],
    listScoped: async () => undefined,
    requireCredentials: async () => {},
    stream(request) {
      complaints.push(...findHistoryErrors(request.messages));
      if (request.messages.at(-1)?.role === 'assistant') complaints.push('the last message is an assistant message');
      request.signal.addEventListener('abort', onStop);
      if (requestCount === MAX_REQUESTS) complaints.push('too many model requests');
      const answer = requestCount < MAX_REQUESTS ? (answers[requestCount] ?? 'text') : 'error';
      return streamAnswer(answer, ++requestCount, request, gates);
    },
  };
}

async function* streamAnswer(
  answer: Answer,
  number: number,
  { model, signal }: ModelRequest,
  gates: Gates,
): AsyncGenerator<AssistantMessageEvent> {
  const builder = new MessageBuilder(model, 0);
  const createAbortEvent = () => builder.fail('aborted', 'Request was aborted');
  yield builder.start();
  await gates.pass(signal);
  if (signal.aborted) return yield createAbortEvent();
  yield builder.startText();
  yield builder.appendText(`answer ${number}`);
  await gates.pass(signal);
  if (signal.aborted) return yield createAbortEvent();
  yield builder.endText();
  if (answer === 'error') return yield builder.fail('error', 'Scripted failure');
  const calls = { text: 0, length: 1, call: 1, calls: 3 }[answer];
  for (let count = 1; count <= calls; count++) {
    yield builder.startToolCall(`call_${number}_${count}`, 'step');
    yield builder.appendToolCall('{}');
    yield builder.endToolCall();
  }
  yield builder.finish(answer === 'length' ? 'length' : calls > 0 ? 'toolUse' : 'stop');
}

function createGatedTool(gates: Gates): Tool {
  return tool({
    name: 'step',
    doc: 'Waits for the test.',
    effect: 'read',
    params: object({}),
    async run(_, { signal, update }) {
      update({ content: [{ type: 'text', text: 'in progress' }] });
      await gates.pass(signal);
      if (signal.aborted) throw new Fault('aborted', 'Operation aborted');
      return { content: [{ type: 'text', text: 'done' }] };
    },
  }) as unknown as Tool;
}
