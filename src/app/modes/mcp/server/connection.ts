// The JSON-RPC connection of the MCP server: answers requests and batches of them, sends its own requests, and cancels both.
import { type Line, toFault, toJson } from '../../../../base/index.ts';
import {
  INVALID_REQUEST,
  type JsonRpcError,
  type JsonRpcMessage,
  parseJsonRpcMessage,
} from '../../../../dialects/json-rpc.ts';

export interface IncomingRequest {
  readonly method: string;
  readonly params: unknown;
  /** Aborts when the client cancels the request, or when the server ends. */
  readonly signal: AbortSignal;
}

export interface ConnectionOptions {
  /** Sends one line, without its newline. */
  send(text: string): void;
  /** A thrown RpcError or Fault becomes the error of the response. */
  handle(request: IncomingRequest): Promise<unknown>;
  /** Only the protocol version 2025-03-26 has batches. */
  acceptsBatches(): boolean;
}

/** The error of a response. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: JsonRpcError) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const INVALID_PARAMS = -32602;
export const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

interface ActiveRequest {
  readonly controller: AbortController;
  /** A request that the client has cancelled gets no response. */
  isCancelled: boolean;
}

type Response = { id: unknown; result: unknown } | { id: unknown; error: JsonRpcError };

export class McpConnection {
  readonly #options: ConnectionOptions;
  readonly #active = new Map<unknown, ActiveRequest>();
  /** The work on received lines, until the response is sent. */
  readonly #working = new Set<Promise<void>>();
  readonly #sent = new Map<unknown, (result: unknown) => void>();
  #sentCount = 0;
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  receive(line: Line): void {
    const batch = readBatch(line);
    const work = batch ? this.#answerBatch(batch) : this.#answerOne(parseJsonRpcMessage(line));
    this.#working.add(work);
    void work.then(() => this.#working.delete(work));
  }

  /** Resolves with the result; with `undefined` when the client refuses, when `signal` aborts, and when the client has closed. */
  async request(method: string, params: Record<string, unknown>, signal?: AbortSignal): Promise<unknown> {
    if (this.#isClosed || signal?.aborted) return undefined;
    this.#sentCount += 1;
    const id = `parley-${this.#sentCount}`;
    const withdraw = () => {
      this.notify('notifications/cancelled', { requestId: id, reason: 'The answer is no longer needed.' });
      this.#sent.get(id)?.(undefined);
    };
    signal?.addEventListener('abort', withdraw, { once: true });
    try {
      return await new Promise((resolve) => {
        this.#sent.set(id, resolve);
        this.#write({ id, method, params });
      });
    } finally {
      this.#sent.delete(id);
      signal?.removeEventListener('abort', withdraw);
    }
  }

  notify(method: string, params: Record<string, unknown>): void {
    this.#write({ method, params });
  }

  /** The client sends nothing more: open requests to it resolve without a result. */
  close(): void {
    this.#isClosed = true;
    for (const resolve of this.#sent.values()) resolve(undefined);
  }

  /** The requests still get a response. */
  abortAll(): void {
    for (const { controller } of this.#active.values()) controller.abort();
  }

  /** Resolves when every response has been sent. */
  async waitUntilIdle(): Promise<void> {
    await Promise.all(this.#working);
  }

  async #answerOne(message: JsonRpcMessage): Promise<void> {
    const response = await this.#answer(message);
    if (response) this.#write(response);
  }

  async #answerBatch(batch: readonly unknown[]): Promise<void> {
    if (batch.length === 0 || !this.#options.acceptsBatches()) return this.#write({ id: null, error: INVALID_REQUEST });
    const messages = batch.map((item) => parseJsonRpcMessage({ text: JSON.stringify(item) }));
    const responses = await Promise.all(messages.map((message) => this.#answer(message)));
    const shown = responses.filter((response) => response !== undefined);
    if (shown.length > 0) this.#options.send(toJson(shown.map((response) => ({ jsonrpc: '2.0', ...response }))));
  }

  /** `undefined` when the message gets no response. Requests are started synchronously, in the order of the messages. */
  async #answer(message: JsonRpcMessage): Promise<Response | undefined> {
    if (message.kind === 'unusable') return { id: null, error: message.error };
    if (message.kind === 'response') this.#sent.get(message.id)?.(message.result);
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') this.#cancel(message.params);
    return message.kind === 'request' ? this.#startRequest(message) : undefined;
  }

  async #startRequest({ id, method, params }: JsonRpcMessage & { kind: 'request' }): Promise<Response | undefined> {
    if (id === null) return { id, error: { ...INVALID_REQUEST, message: 'Invalid request: id must not be null' } };
    if (this.#active.has(id)) {
      return { id, error: { ...INVALID_REQUEST, message: `Invalid request: id ${toJson(id)} is already in use` } };
    }
    const controller = new AbortController();
    const done = this.#options
      .handle({ method, params, signal: controller.signal })
      .then((result): Response => ({ id, result }))
      .catch((thrown: unknown): Response => ({ id, error: toRpcError(thrown) }));
    const active: ActiveRequest = { controller, isCancelled: false };
    this.#active.set(id, active);
    const response = await done;
    this.#active.delete(id);
    return active.isCancelled ? undefined : response;
  }

  #cancel(params: unknown): void {
    const active = this.#active.get((params as { requestId?: unknown } | null)?.requestId);
    if (!active) return;
    active.isCancelled = true;
    active.controller.abort();
  }

  #write(body: object): void {
    this.#options.send(toJson({ jsonrpc: '2.0', ...body }));
  }
}

function readBatch(line: Line): readonly unknown[] | undefined {
  if ('problem' in line || !line.text.trimStart().startsWith('[')) return undefined;
  try {
    return JSON.parse(line.text) as unknown[];
  } catch {
    return undefined;
  }
}

function toRpcError(thrown: unknown): JsonRpcError {
  if (thrown instanceof RpcError) {
    const { code, message, data } = thrown;
    return { code, message, ...(data === undefined ? {} : { data }) };
  }
  const { code, message } = toFault(thrown);
  return { code: code === 'invalid_params' ? INVALID_PARAMS : INTERNAL_ERROR, message };
}

export { INVALID_REQUEST };
