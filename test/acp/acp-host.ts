// A host with the client of the ACP SDK, connected to the built program. Every frame in both directions is validated.
import {
  type ClientCapabilities,
  type ClientContext,
  type ContentBlock,
  client,
  type NewSessionResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { expect, onTestFinished } from 'vitest';
import { type AcpFrame, createFrameChecker, type Sender } from '../support/acp-schema.ts';
import { withDeadline } from '../support/deadline.ts';
import { type Program, type ProgramOptions, startProgram } from '../support/program.ts';
import type { Server } from '../support/server.ts';
import { connectWebSocket, type ServerClient } from '../support/server-clients.ts';

type Params = Record<string, unknown>;
/** Answers a request of the agent. A thrown error becomes an error response. */
type Handler = (params: Params, signal: AbortSignal) => unknown;
export type Update<Kind extends SessionUpdate['sessionUpdate']> = Extract<SessionUpdate, { sessionUpdate: Kind }>;

export interface HostOptions extends ProgramOptions {
  readonly args?: readonly string[];
  readonly capabilities?: ClientCapabilities;
  /** Handlers by method. `session/request_permission` allows once by default. */
  readonly handlers?: Readonly<Record<string, Handler>>;
  /** `false`: the test sends `initialize` itself. */
  readonly initialize?: boolean;
  /** The test sends invalid frames on purpose. Those of the agent are validated all the same. */
  readonly sendsInvalid?: boolean;
}

export interface AcpHost {
  readonly program: Program;
  readonly agent: ClientContext;
  /** Every frame so far, in the order in which it was sent or received. */
  readonly frames: readonly (AcpFrame & { readonly sender: Sender })[];
  /** Opens a session. Default directory: that of the program. */
  open(cwd?: string): Promise<NewSessionResponse>;
  prompt(sessionId: string, prompt: string | readonly ContentBlock[]): Promise<PromptResponse>;
  /** The updates of a kind so far, of one session or of all. */
  updates<Kind extends SessionUpdate['sessionUpdate']>(kind: Kind, sessionId?: string): Update<Kind>[];
  /** The text of all chunks of a kind. */
  text(kind?: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk', sessionId?: string): string;
  /** The params of the requests that the agent has sent with this method. */
  requests(method: string): Params[];
  /** Resolves when a frame of the agent matches, now or later. */
  waitFor(what: string, matches: (frame: AcpFrame) => boolean): Promise<AcpFrame>;
  /** Resolves when an update matches. */
  waitForUpdate(what: string, matches: (update: SessionUpdate) => boolean): Promise<SessionUpdate>;
}

/** The error of a refused request. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The first permission option of a kind. */
export function select(params: Params, kind: string): object {
  const options = params.options as readonly { optionId: string; kind: string }[];
  const option = options.find((candidate) => candidate.kind === kind);
  return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } };
}

/** Resolves with the error of a request that must be refused. */
export async function refusalOf(request: Promise<unknown>): Promise<Refusal> {
  const outcome = await request.then(
    (result) => ({ result }),
    (error: Refusal) => ({ error }),
  );
  if (!('error' in outcome)) throw new Error(`The request was not refused: ${JSON.stringify(outcome.result)}`);
  const { code, message, data } = outcome.error;
  return { code, message, data };
}

export async function startHost(options: HostOptions = {}): Promise<AcpHost> {
  const program = startProgram(['acp', ...(options.args ?? [])], options);
  return openHost(program, createPipe(program), options);
}

/** A host that is a client of a running server. */
export async function connectHost(server: Server, query: Record<string, string> = {}, options: HostOptions = {}) {
  const socket = await connectWebSocket(server, { dialect: 'acp', ...query });
  const host = await openHost(server.program, createSocketPipe(socket), options);
  return { ...host, socket };
}

/** Lines in both directions. */
interface Pipe {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
}

async function openHost(program: Program, pipe: Pipe, options: HostOptions): Promise<AcpHost> {
  const { capabilities = {}, handlers = {}, initialize = true, sendsInvalid = false } = options;
  const recorder = createRecorder();
  const requestHandlers: Record<string, Handler> = {
    'session/request_permission': (params) => select(params, 'allow_once'),
    ...handlers,
  };
  const app = client({ name: 'test' }).onNotification('*', () => {});
  for (const [method, handler] of Object.entries(requestHandlers)) {
    app.onRequest(
      method as string,
      (value: unknown) => value as Params,
      async ({ params, signal }) => handler(params, signal),
    );
  }
  const connection = app.connect(recorder.tee(pipe));
  onTestFinished(() => {
    connection.close();
    expect(recorder.problems.filter((problem) => !sendsInvalid || problem.startsWith('agent'))).toEqual([]);
  });
  const { agent } = connection;
  const host = createHost(program, agent, recorder);
  if (initialize) {
    await agent.request('initialize', { protocolVersion: PROTOCOL_VERSION, clientCapabilities: capabilities });
  }
  return host;
}

function createHost(program: Program, agent: ClientContext, recorder: ReturnType<typeof createRecorder>): AcpHost {
  const { frames, waitFor } = recorder;
  const allUpdates = (sessionId?: string) =>
    frames
      .map(updateOf)
      .filter((found) => found !== undefined)
      .filter((found) => sessionId === undefined || found.sessionId === sessionId)
      .map(({ update }) => update);
  const updates: AcpHost['updates'] = (kind, sessionId) =>
    allUpdates(sessionId).filter((update): update is Update<typeof kind> => update.sessionUpdate === kind);
  return {
    ...{ program, agent, frames, waitFor, updates },
    open: (cwd = program.cwd) => withDeadline(agent.request('session/new', { cwd, mcpServers: [] }), 'a session'),
    prompt(sessionId, content) {
      const prompt = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : [...content];
      return withDeadline(agent.request('session/prompt', { sessionId, prompt }), 'the response to a prompt');
    },
    text: (kind = 'agent_message_chunk', sessionId) =>
      updates(kind, sessionId)
        .map(({ content }) => (content.type === 'text' ? content.text : ''))
        .join(''),
    requests: (method) =>
      frames
        .filter((frame) => frame.sender === 'agent' && frame.method === method)
        .map(({ params }) => params as Params),
    async waitForUpdate(what, matches) {
      const frame = await waitFor(what, (candidate) => {
        const found = updateOf(candidate);
        return found !== undefined && matches(found.update);
      });
      return (updateOf(frame) as { update: SessionUpdate }).update;
    },
  };
}

function updateOf(frame: AcpFrame): { sessionId: string; update: SessionUpdate } | undefined {
  return frame.method === 'session/update' ? (frame.params as { sessionId: string; update: SessionUpdate }) : undefined;
}

interface Waiter {
  matches(frame: AcpFrame): boolean;
  resolve(frame: AcpFrame): void;
}

/** Records and validates the frames between the client and the program. */
function createRecorder() {
  const frames: (AcpFrame & { sender: Sender })[] = [];
  const problems: string[] = [];
  const waiters = new Set<Waiter>();
  const check = createFrameChecker();
  const record = (sender: Sender, frame: AcpFrame) => {
    frames.push({ sender, ...frame });
    for (const problem of check(sender, frame)) {
      problems.push(`${sender}: ${problem} in ${JSON.stringify(frame).slice(0, 300)}`);
    }
    if (sender === 'client') return;
    for (const waiter of waiters) {
      if (!waiter.matches(frame)) continue;
      waiters.delete(waiter);
      waiter.resolve(frame);
    }
  };
  const waitFor = (what: string, matches: (frame: AcpFrame) => boolean) => {
    const known = frames.find((frame) => frame.sender === 'agent' && matches(frame));
    const promise = known
      ? Promise.resolve<AcpFrame>(known)
      : new Promise<AcpFrame>((resolve) => waiters.add({ matches, resolve }));
    const newest = () => frames.slice(-8).map((frame) => `\n${JSON.stringify(frame).slice(0, 400)}`);
    return withDeadline(promise, what, () => `The newest frames: ${newest().join('')}`);
  };
  return { frames, problems, waitFor, tee: (pipe: Pipe) => createTee(pipe, record) };
}

function createPipe({ stdin, stdout }: Program): Pipe {
  // The client may close the connection before the program ends.
  let isClosed = false;
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      stdout.on('data', (chunk: Buffer) => isClosed || controller.enqueue(new Uint8Array(chunk)));
      stdout.on('end', () => isClosed || controller.close());
    },
    cancel() {
      isClosed = true;
    },
  });
  return { input, output: new WritableStream<Uint8Array>({ write: (chunk) => void stdin.write(chunk) }) };
}

/** One frame per message, without the newline. */
function createSocketPipe(socket: ServerClient): Pipe {
  let isClosed = false;
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      socket.onText((text) => isClosed || controller.enqueue(new TextEncoder().encode(`${text}\n`)));
      void socket.closed.then(() => isClosed || controller.close());
    },
    cancel() {
      isClosed = true;
    },
  });
  const decoder = new TextDecoder();
  const output = new WritableStream<Uint8Array>({
    write: (chunk) => socket.sendText(decoder.decode(chunk).trimEnd()),
  });
  return { input, output };
}

function createTee({ input, output }: Pipe, record: (sender: Sender, frame: AcpFrame) => void) {
  const stream = ndJsonStream(output, input);
  type Message = Parameters<typeof record>[1];
  const observe = (sender: Sender) =>
    new TransformStream({
      transform(message, controller) {
        record(sender, message as unknown as Message);
        controller.enqueue(message);
      },
    });
  const outgoing = observe('client');
  void outgoing.readable.pipeTo(stream.writable).catch(() => {});
  return { readable: stream.readable.pipeThrough(observe('agent')), writable: outgoing.writable };
}
