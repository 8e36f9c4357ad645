// A client object that is created first and started later. Adds start, stop and restart to the client API.
import { Fault } from '../base/index.ts';
import type { AgentMessage, SessionAttached, SessionSnapshot } from '../protocol/index.ts';
import { CallMethodsBase, createCallMethods } from './call-methods.ts';
import type { CallArguments, CallMethods, CallResult, CommandName } from './call-types.ts';
import type { ClientEvent } from './client-event.ts';
import type { ExitInfo } from './client-transport.ts';
import { type ConnectedAgent, type ConnectionState, type ConnectOptions, connectAgent } from './connect-agent.ts';
import type { DialogHandler, DisplayRequest } from './dialog-dispatcher.ts';
import type { RpcError } from './errors.ts';
import type { Listener } from './listeners.ts';
import type { ReadyInfo } from './parse-frame.ts';
import type { PromptOptions, WaitOptions } from './prompt-and-wait.ts';
import { type SpawnedAgent, type SpawnOptions, spawnAgent } from './spawn-agent.ts';

/** With `url` the client connects to a running agent, and the options of a process have no effect. */
export interface RpcClientOptions extends SpawnOptions, Partial<ConnectOptions> {
  /** The initial model, like `--provider` and `--model`. */
  provider?: string | undefined;
  model?: string | undefined;
}

type Agent = SpawnedAgent | ConnectedAgent;

const DEFAULT_GRACE_MS = 5000;
const STDERR_TAIL_LENGTH = 64 * 1024;

interface Subscription {
  attach(agent: Agent): () => void;
  detach: (() => void) | undefined;
}

/**
 * Has a method for every command: `client.setSteeringMode({ mode: 'all' })`. Listeners may be added before the start, and
 * they remain after a restart.
 */
export class RpcClient extends CallMethodsBase {
  /** The same methods, without the client's own methods. */
  readonly commands: CallMethods = createCallMethods((command, params) => this.callUndeclared(command, params));
  readonly #options: RpcClientOptions;
  readonly #subscriptions = new Set<Subscription>();
  #agent: Agent | undefined;
  #starting: Promise<void> | undefined;
  #stderr = '';

  constructor(options: RpcClientOptions = {}) {
    super();
    this.#options = options;
  }

  /** Resolves when the process runs, with `url` when a session is attached. Calls may be made immediately; they are replied to when the agent is ready. */
  async start(): Promise<void> {
    if (this.#starting) throw new Fault('refused', 'The agent is already running. Call stop() before start().');
    this.#starting = this.#open();
    try {
      await this.#starting;
    } catch (thrown) {
      this.#starting = undefined;
      throw thrown;
    }
  }

  /**
   * Stops the agent cleanly: it aborts its runs, ends its child processes and closes its log. It is killed after `graceMs`.
   * With `url` only the connection is closed. Does nothing when no agent runs.
   */
  async stop({ graceMs = DEFAULT_GRACE_MS }: { graceMs?: number } = {}): Promise<ExitInfo | undefined> {
    await this.#starting?.catch(() => {});
    const agent = this.#agent;
    if (!agent) return undefined;
    if (!('kill' in agent)) return agent.close();
    agent.kill('SIGTERM');
    const graceTimeout = AbortSignal.timeout(graceMs);
    const kill = () => agent.kill('SIGKILL');
    graceTimeout.addEventListener('abort', kill, { once: true });
    const exitInfo = await agent.closed;
    graceTimeout.removeEventListener('abort', kill);
    return exitInfo;
  }

  /** Closes the agent's input and waits until the agent has finished its work and exited. */
  async close(): Promise<ExitInfo> {
    return this.#requireAgent().close();
  }

  get pid(): number | undefined {
    return this.#agent && 'pid' in this.#agent ? this.#agent.pid : undefined;
  }

  /** The end of the agent's stderr output. Also available after it has exited. */
  get stderr(): string {
    return this.#stderr;
  }

  call<N extends CommandName>(command: N, ...params: CallArguments<N>): Promise<CallResult<N>> {
    return this.callUndeclared(command, params[0]) as Promise<CallResult<N>>;
  }

  /** Calls a command that this client does not declare: one of a newer agent, or of an extension. */
  async callUndeclared(command: string, params?: object): Promise<unknown> {
    return this.#requireAgent().callUndeclared(command, params);
  }

  /** Sends a frame unchanged. Its reply goes to `onUnhandled`. */
  send(frame: object): void {
    this.#requireAgent().send(frame);
  }

  async promptAndWait(message: string, options?: PromptOptions): Promise<AgentMessage[]> {
    return this.#requireAgent().promptAndWait(message, options);
  }

  async waitForIdle(options?: WaitOptions): Promise<void> {
    return this.#requireAgent().waitForIdle(options);
  }

  async collectEvents(options?: WaitOptions): Promise<ClientEvent[]> {
    return this.#requireAgent().collectEvents(options);
  }

  events(): AsyncIterableIterator<ClientEvent> {
    return this.#requireAgent().events();
  }

  /** The agent's ready frame. Agents of some dialects never send one. */
  async ready(): Promise<ReadyInfo> {
    return this.#requireAgent().ready();
  }

  onEvent(listener: Listener<ClientEvent>): () => void {
    return this.#subscribe((agent) => agent.onEvent(listener));
  }

  /** Receives unknown events, replies without a pending call, and the text of lines that are not valid frames. */
  onUnhandled(listener: Listener<unknown>): () => void {
    return this.#subscribe((agent) => agent.onUnhandled(listener));
  }

  /** Called when a prompt fails after it was accepted. */
  onPromptFailed(listener: Listener<RpcError>): () => void {
    return this.#subscribe((agent) => agent.onPromptFailed(listener));
  }

  /** Answers the agent's questions. Without a handler they are dismissed and the agent uses its defaults. */
  onDialog(handler: DialogHandler): () => void {
    return this.#subscribe((agent) => agent.onDialog(handler));
  }

  onDisplay(listener: Listener<DisplayRequest>): () => void {
    return this.#subscribe((agent) => agent.onDisplay(listener));
  }

  /** Called when the agent has exited, for any reason. */
  onExit(listener: Listener<ExitInfo>): () => void {
    return this.#subscribe((agent) => {
      let isSubscribed = true;
      void agent.closed.then((exitInfo) => isSubscribed && listener(exitInfo));
      return () => {
        isSubscribed = false;
      };
    });
  }

  /** Called when the client follows another session of the agent, and after each reconnection. */
  onAttached(listener: Listener<SessionAttached>): () => void {
    return this.#subscribe((agent) => agent.onAttached(listener));
  }

  /** Called when events were missed and cannot be sent. */
  onSnapshot(listener: Listener<SessionSnapshot>): () => void {
    return this.#subscribe((agent) => agent.onSnapshot(listener));
  }

  /** With `url`: called when the connection breaks, is restored or ends. */
  onConnectionState(listener: Listener<ConnectionState>): () => void {
    return this.#subscribe((agent) => ('connectionState' in agent ? agent.onConnectionState(listener) : () => {}));
  }

  async #open(): Promise<void> {
    const { url } = this.#options;
    this.#stderr = '';
    const agent = url === undefined ? await this.#spawn() : await connectAgent({ ...this.#options, url });
    this.#agent = agent;
    // #agent is kept, so that later calls fail with its exit info. #starting is cleared, so that start() works again.
    void agent.closed.then(() => {
      this.#starting = undefined;
    });
    for (const subscription of this.#subscriptions) subscription.detach = subscription.attach(agent);
  }

  #spawn(): Promise<SpawnedAgent> {
    const { provider, model, args = [], onStderr, ...options } = this.#options;
    const modelArgs = [...(provider ? ['--provider', provider] : []), ...(model ? ['--model', model] : [])];
    return spawnAgent({
      ...options,
      args: [...modelArgs, ...args],
      onStderr: (text) => {
        this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL_LENGTH);
        onStderr?.(text);
      },
    });
  }

  #subscribe(attach: Subscription['attach']): () => void {
    const subscription: Subscription = { attach, detach: this.#agent && attach(this.#agent) };
    this.#subscriptions.add(subscription);
    return () => {
      this.#subscriptions.delete(subscription);
      subscription.detach?.();
    };
  }

  #requireAgent(): Agent {
    if (this.#agent) return this.#agent;
    throw new Fault('refused', 'The agent is not running. Await start() first.');
  }
}
