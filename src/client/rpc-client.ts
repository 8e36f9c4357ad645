// The hall, client: an agent as an object that is made first and started later. Adds a life to the client, and no call of its own.
import { Fault } from '../base/index.ts';
import type { AgentEvent, AgentMessage } from '../protocol/index.ts';
import type { CallArguments, CallMethods, CallResult, CommandName } from './call.ts';
import type { AskHandler, Display } from './dialogs.ts';
import type { RpcError } from './failures.ts';
import type { Greeting } from './frames.ts';
import type { Listener } from './listeners.ts';
import { CommandMethods, createMethods } from './methods.ts';
import type { PromptOptions, WaitOptions } from './settling.ts';
import { type SpawnedAgent, type SpawnOptions, spawnAgent } from './spawn.ts';
import type { Farewell } from './transport.ts';

export interface RpcClientOptions extends SpawnOptions {
  /** Which model answers at first, as `--provider` and `--model` say it. */
  provider?: string | undefined;
  model?: string | undefined;
}

const GRACE_MS = 5000;
const KEPT_STDERR = 64 * 1024;

interface Ear {
  attach(agent: SpawnedAgent): () => void;
  detach: (() => void) | undefined;
}

/**
 * Has a method for every command: `client.setSteeringMode({ mode: 'all' })`. Listeners may be added before the start and
 * stay for the next one.
 */
export class RpcClient extends CommandMethods {
  /** The same methods, apart from those of the client itself. */
  readonly commands: CallMethods = createMethods((command, params) => this.callUndeclared(command, params));
  readonly #options: RpcClientOptions;
  readonly #ears = new Set<Ear>();
  #agent: SpawnedAgent | undefined;
  #starting: Promise<void> | undefined;
  #stderr = '';

  constructor(options: RpcClientOptions = {}) {
    super();
    this.#options = options;
  }

  /** Resolves when the process runs. Calls may be made at once; they are answered when the agent is ready. */
  async start(): Promise<void> {
    if (this.#starting) throw new Fault('refused', 'The agent is running already: stop it before it is started again');
    this.#starting = this.#spawn();
    try {
      await this.#starting;
    } catch (thrown) {
      this.#starting = undefined;
      throw thrown;
    }
  }

  /**
   * Ends the agent in good order: its runs are aborted, its children ended, its log closed. After `graceMs` it is killed.
   * Without an agent there is nothing to do.
   */
  async stop({ graceMs = GRACE_MS }: { graceMs?: number } = {}): Promise<Farewell | undefined> {
    await this.#starting?.catch(() => {});
    const agent = this.#agent;
    if (!agent) return undefined;
    agent.kill('SIGTERM');
    const late = AbortSignal.timeout(graceMs);
    const kill = () => agent.kill('SIGKILL');
    late.addEventListener('abort', kill, { once: true });
    const farewell = await agent.closed;
    late.removeEventListener('abort', kill);
    return farewell;
  }

  /** Says that nothing more will come, and waits until the agent has finished its work and gone. */
  async close(): Promise<Farewell> {
    return this.#running().close();
  }

  get pid(): number | undefined {
    return this.#agent?.pid;
  }

  /** The end of what the agent has written to stderr, also after it has gone. */
  get stderr(): string {
    return this.#stderr;
  }

  call<N extends CommandName>(command: N, ...params: CallArguments<N>): Promise<CallResult<N>> {
    return this.callUndeclared(command, params[0]) as Promise<CallResult<N>>;
  }

  /** Calls a command that is not declared here: one of a newer agent, or of an extension. */
  async callUndeclared(command: string, params?: object): Promise<unknown> {
    return this.#running().callUndeclared(command, params);
  }

  /** Sends a frame as it is. A reply to it goes to `onOther`. */
  send(frame: object): void {
    this.#running().send(frame);
  }

  async promptAndWait(message: string, options?: PromptOptions): Promise<AgentMessage[]> {
    return this.#running().promptAndWait(message, options);
  }

  async waitForIdle(options?: WaitOptions): Promise<void> {
    return this.#running().waitForIdle(options);
  }

  async collectEvents(options?: WaitOptions): Promise<AgentEvent[]> {
    return this.#running().collectEvents(options);
  }

  events(): AsyncIterableIterator<AgentEvent> {
    return this.#running().events();
  }

  /** What the agent said of itself when it started. Some agents say nothing. */
  async ready(): Promise<Greeting> {
    return this.#running().ready();
  }

  onEvent(listener: Listener<AgentEvent>): () => void {
    return this.#listen((agent) => agent.on(listener));
  }

  /** Whatever nobody knows here: unknown events, replies that nobody waits for, the text of lines that are no frames. */
  onOther(listener: Listener<unknown>): () => void {
    return this.#listen((agent) => agent.onOther(listener));
  }

  /** A prompt failed after it had been accepted. */
  onPromptFailed(listener: Listener<RpcError>): () => void {
    return this.#listen((agent) => agent.onPromptFailed(listener));
  }

  /** Answers the agent's questions. Without a handler they are dismissed, and the agent takes its defaults. */
  onAsk(handler: AskHandler): () => void {
    return this.#listen((agent) => agent.onAsk(handler));
  }

  onShow(listener: Listener<Display>): () => void {
    return this.#listen((agent) => agent.onShow(listener));
  }

  /** The agent is gone, however it went. */
  onGone(listener: Listener<Farewell>): () => void {
    return this.#listen((agent) => {
      let wanted = true;
      void agent.closed.then((farewell) => wanted && listener(farewell));
      return () => {
        wanted = false;
      };
    });
  }

  async #spawn(): Promise<void> {
    const { provider, model, args = [], onStderr, ...options } = this.#options;
    const chosen = [...(provider ? ['--provider', provider] : []), ...(model ? ['--model', model] : [])];
    this.#stderr = '';
    const agent = await spawnAgent({
      ...options,
      args: [...chosen, ...args],
      onStderr: (text) => {
        this.#stderr = (this.#stderr + text).slice(-KEPT_STDERR);
        onStderr?.(text);
      },
    });
    this.#agent = agent;
    // It stays, so that calls are told how it went; but another one may be started.
    void agent.closed.then(() => {
      this.#starting = undefined;
    });
    for (const ear of this.#ears) ear.detach = ear.attach(agent);
  }

  #listen(attach: Ear['attach']): () => void {
    const ear: Ear = { attach, detach: this.#agent && attach(this.#agent) };
    this.#ears.add(ear);
    return () => {
      this.#ears.delete(ear);
      ear.detach?.();
    };
  }

  #running(): SpawnedAgent {
    if (this.#agent) return this.#agent;
    throw new Fault('refused', 'The agent is not running: await start() first');
  }
}
