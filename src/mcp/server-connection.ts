// The connection to one server: connects, reads its lists, and connects again when the connection is lost.
import type { Client } from '@modelcontextprotocol/client';
import { createDeferred, Fault, getErrorMessage } from '../base/index.ts';
import type { Cancel, McpContext, McpPrompt, McpServerDefinition, McpServerStatus, Tool } from '../contracts/index.ts';
import { waitAtMost } from '../support/wait-at-most.ts';
import { SignInRequiredFault } from './oauth/auth-provider.ts';
import { type OpenClient, openClient } from './open-client.ts';
import { getRetryDelay } from './retry-delay.ts';
import { callTool } from './server-calls.ts';
import { ServerLists } from './server-lists.ts';
import { createServerScope, redactServerText, type ServerScope } from './server-scope.ts';
import { ProtocolError, SdkHttpError } from './vendor/mcp-client.ts';

/** After this time a server that has not answered counts as failed. */
const CONNECT_LIMIT_MS = 60_000;
/** A connection of this age ends a series of failures. */
const STABLE_MS = 60_000;
const MAX_FAILURES = { stdio: 5, http: 10, sse: 10 };
/** Several changes of the lists are read together. */
const REFRESH_DELAY_MS = 300;
/** How often the stored logins are read after a sign-in was found to be required. */
const SIGN_IN_CHECK_MS = 5_000;

export class ServerConnection {
  readonly #scope: ServerScope;
  readonly #onChange: () => void;
  readonly #lists: ServerLists;
  readonly #closed = new AbortController();
  #state: McpServerStatus['state'] = 'connecting';
  #problem: string | undefined;
  #open: OpenClient | undefined;
  #connectedAt = 0;
  #failures = 0;
  #isNamed = false;
  #attempt: Promise<void> | undefined;
  #cancelRetry: Cancel | undefined;
  #cancelRefresh: Cancel | undefined;
  #refreshing: Promise<void> | undefined;

  constructor(definition: McpServerDefinition, context: McpContext, onChange: () => void) {
    this.#scope = createServerScope(definition, context);
    this.#onChange = onChange;
    this.#lists = new ServerLists({
      server: definition.name,
      context,
      call: (tool, args, options) =>
        this.use(options.signal, (client) => callTool(client, tool, args, options, this.#scope)),
    });
  }

  get name(): string {
    return this.#scope.definition.name;
  }

  /** Those of a lost server stay listed until it is given up, so that the prompt prefix does not change. */
  get tools(): readonly Tool[] {
    return this.#lists.tools;
  }

  get prompts(): readonly McpPrompt[] {
    return this.#lists.prompts;
  }

  get status(): McpServerStatus {
    const problem = this.#problem === undefined ? {} : { problem: this.#problem };
    return { name: this.name, state: this.#state, toolCount: this.tools.length, ...problem };
  }

  /** Resolves after one attempt, whatever its result. Attempts never overlap. */
  connect(): Promise<void> {
    this.#cancelRetry?.();
    this.#attempt ??= this.#connectOnce().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  /** Names the server in a notice if it is still connecting. */
  reportSlow(): void {
    const { startupTimeoutMs } = this.#scope.context;
    if (this.#state !== 'connecting') return;
    this.#notify(`has not answered within ${startupTimeoutMs / 1000} s. Its tools follow when it does`);
  }

  /** Uses the connection, after one attempt to connect if there is none. */
  async use<T>(signal: AbortSignal, act: (client: Client) => Promise<T>): Promise<T> {
    const open = await this.#ensureOpen(signal);
    try {
      return await this.#run(open, act);
    } catch (thrown) {
      if (!isSessionLost(thrown)) throw this.#explain(thrown, open);
      // The server does not know the session any more, so it has not executed the request.
      this.#lose(open, 'it has ended the session');
    }
    const next = await this.#ensureOpen(signal);
    return this.#run(next, act).catch((thrown) => Promise.reject(this.#explain(thrown, next)));
  }

  async #run<T>(open: OpenClient, act: (client: Client) => Promise<T>): Promise<T> {
    try {
      const result = await act(open.client);
      if (this.#open === open) this.#setState('connected');
      return result;
    } catch (thrown) {
      const fault = await this.#scope.auth?.toSignInFault(thrown);
      throw fault ? this.#requireSignIn(fault) : thrown;
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new Fault('aborted', 'The session is closing'));
    this.#cancelRetry?.();
    this.#cancelRefresh?.();
    const open = this.#open;
    this.#open = undefined;
    await Promise.all([open?.close(), this.#attempt]);
  }

  async #ensureOpen(signal: AbortSignal): Promise<OpenClient> {
    if (!this.#open) {
      const { ports, startupTimeoutMs } = this.#scope.context;
      await waitAtMost(ports.clock, startupTimeoutMs, takeUntilAborted(this.connect(), signal));
    }
    if (signal.aborted) throw new Fault('aborted', 'Operation aborted');
    if (this.#open) return this.#open;
    throw new Fault(
      'tool_failed',
      `MCP server "${this.name}" is not connected: ${this.#problem ?? 'it has not answered yet'}`,
    );
  }

  async #connectOnce(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    const { clock } = this.#scope.context.ports;
    this.#state = 'connecting';
    const limit = new AbortController();
    const cancelLimit = clock.after(CONNECT_LIMIT_MS, () => {
      limit.abort(new Fault('timeout', `it did not answer within ${CONNECT_LIMIT_MS / 1000} s`));
    });
    const abort = () => limit.abort(this.#closed.signal.reason);
    this.#closed.signal.addEventListener('abort', abort, { once: true });
    let open: OpenClient | undefined;
    let lostProblem: string | undefined;
    const onClose = (problem: string) => {
      lostProblem = problem;
      this.#lose(open, problem);
    };
    try {
      open = await openClient(this.#scope, { onClose, onListChanged: () => this.#scheduleRefresh() }, limit.signal);
      const lists = await this.#readLists(open.client, limit.signal);
      if (lostProblem !== undefined) throw new Error(lostProblem);
      this.#setConnected(open);
      if (lists.hasChanged) this.#onChange();
    } catch (thrown) {
      await open?.close().catch(() => {});
      if (!this.#closed.signal.aborted) this.#handleFailure(thrown, lostProblem);
    } finally {
      cancelLimit();
      this.#closed.signal.removeEventListener('abort', abort);
    }
  }

  #setConnected(open: OpenClient): void {
    this.#open = open;
    this.#setState('connected');
    this.#connectedAt = this.#scope.context.ports.clock.now();
  }

  #setState(state: McpServerStatus['state'], problem?: string): void {
    this.#state = state;
    this.#problem = problem;
  }

  #handleFailure(thrown: unknown, lostProblem: string | undefined): void {
    const problem = redactServerText(this.#scope, lostProblem ?? getErrorMessage(thrown));
    const isFinal =
      thrown instanceof Fault && (thrown.code === 'timeout' || thrown.message.startsWith('Cannot start '));
    if (thrown instanceof SignInRequiredFault) {
      this.#requireSignIn(thrown);
      this.#giveUp('sign_in_required', problem);
      this.#connectAfterSignIn();
    } else if (isFinal) {
      this.#notify(`is not connected: ${problem}`);
      this.#giveUp('failed', problem);
    } else this.#retryLater(problem);
  }

  /** The tools stay listed, and the next call is sent with the token of a new sign-in. */
  #requireSignIn(fault: SignInRequiredFault): SignInRequiredFault {
    this.#setState('sign_in_required', fault.message);
    this.#notify(fault.predicate);
    return fault;
  }

  /** The user signs in with another process. */
  #connectAfterSignIn(): void {
    const { context, auth } = this.#scope;
    this.#cancelRetry = context.ports.clock.after(SIGN_IN_CHECK_MS, async () => {
      const token = await auth?.token().catch(() => undefined);
      if (this.#closed.signal.aborted) return;
      if (token === undefined) this.#connectAfterSignIn();
      else await this.connect();
    });
  }

  #lose(open: OpenClient | undefined, problem: string): void {
    if (open === undefined || this.#open !== open) return;
    this.#open = undefined;
    void open.close().catch(() => {});
    if (this.#scope.context.ports.clock.now() - this.#connectedAt >= STABLE_MS) {
      this.#failures = 0;
      this.#isNamed = false;
    }
    this.#retryLater(redactServerText(this.#scope, problem));
  }

  #retryLater(problem: string): void {
    const { definition, context } = this.#scope;
    this.#failures += 1;
    this.#notify(`is not connected: ${problem}`);
    if (this.#failures > MAX_FAILURES[definition.server.type]) {
      this.#giveUp('failed', problem);
      return;
    }
    this.#setState('waiting', problem);
    const { clock, ids } = context.ports;
    this.#cancelRetry = clock.after(getRetryDelay(this.#failures, ids), () => void this.connect());
  }

  #giveUp(state: 'failed' | 'sign_in_required', problem: string): void {
    this.#setState(state, problem);
    this.#failures = 0;
    if (this.#lists.clear()) this.#onChange();
  }

  async #readLists(client: Client, signal: AbortSignal): Promise<{ hasChanged: boolean }> {
    const { hasChanged, problem } = await this.#lists.read(client, signal);
    if (problem !== undefined) this.#notify(problem);
    return { hasChanged };
  }

  #scheduleRefresh(): void {
    if (this.#closed.signal.aborted || this.#cancelRefresh) return;
    this.#cancelRefresh = this.#scope.context.ports.clock.after(REFRESH_DELAY_MS, () => {
      this.#cancelRefresh = undefined;
      // One at a time: changes that arrive meanwhile are read afterwards.
      if (this.#refreshing) return this.#scheduleRefresh();
      this.#refreshing = this.#refresh().finally(() => {
        this.#refreshing = undefined;
      });
    });
  }

  async #refresh(): Promise<void> {
    const open = this.#open;
    if (!open) return;
    try {
      const { hasChanged } = await this.#readLists(open.client, this.#closed.signal);
      if (hasChanged) this.#onChange();
    } catch (thrown) {
      const { ports } = this.#scope.context;
      ports.log('mcp_refresh_failed', {
        server: this.name,
        error: redactServerText(this.#scope, getErrorMessage(thrown)),
      });
    }
  }

  /** A request over HTTP that fails without an answer of the server means that the connection is lost. */
  #explain(thrown: unknown, open: OpenClient): unknown {
    if (thrown instanceof Fault) return thrown;
    const message = redactServerText(this.#scope, getErrorMessage(thrown));
    const isAnswer = thrown instanceof ProtocolError || thrown instanceof SdkHttpError;
    const isHttp = this.#scope.definition.server.type !== 'stdio';
    if (isHttp && !isAnswer) this.#lose(open, message);
    const reason = this.#open === open ? message : (this.#problem ?? message);
    return new Fault('tool_failed', `MCP server "${this.name}": ${reason}`, { cause: thrown });
  }

  /** Each series of problems is reported once. */
  #notify(text: string): void {
    if (this.#isNamed) return;
    this.#isNamed = true;
    this.#scope.context.notify({ level: 'warning', source: 'mcp', message: `MCP server "${this.name}" ${text}` });
  }
}

function isSessionLost(thrown: unknown): boolean {
  return thrown instanceof SdkHttpError && thrown.status === 404;
}

/** Resolves when `work` has finished, or when the signal aborts. */
async function takeUntilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = createDeferred();
  const abort = () => resolve();
  signal.addEventListener('abort', abort, { once: true });
  await Promise.race([work, promise]);
  signal.removeEventListener('abort', abort);
}
