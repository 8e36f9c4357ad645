// First floor, core: the extensions of one session, from loading to farewell. Knows neither files nor how code is read.
import { Fault, messageOf } from '../../base/index.ts';
import type {
  AgentSession,
  ExtensionFlag,
  ExtensionProvider,
  ExtensionSource,
  Hooks,
  HostUi,
  InputVerdict,
  ModelApi,
  Models,
  Ports,
  Said,
  SlashCommand,
  Tool,
} from '../../contracts/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import { type ApiParts, createApi } from './api.ts';
import { createEventBus } from './bus.ts';
import { type Extension, emptyExtension } from './extension.ts';
import { createHooks } from './hooks.ts';
import { LogView } from './log-view.ts';
import { ModelView } from './model-view.ts';
import { createPatience, endless } from './patience.ts';
import { HandlerRunner } from './runner.ts';
import { createCommandContext, createContext, type Surroundings } from './surroundings.ts';
import { toolOf } from './tools.ts';
import { numbered } from './turns.ts';
import { abandonable } from './waiting.ts';

export interface SystemOptions {
  ports: Ports;
  models: Models;
  mode: string;
  hookTimeoutMs: number;
  uiTimeoutMs: number | undefined;
  flags: Readonly<Record<string, string | boolean>>;
  extras: ApiParts['extras'];
  /** A provider that answers by itself, as a wire format. */
  apiOf(provider: ExtensionProvider): ModelApi | undefined;
  /** People who started the program see it too. */
  warn(sentence: string): void;
  reload(): Promise<void>;
}

export interface SessionPlace {
  readonly session: AgentSession;
  host(): HostUi | undefined;
  leave(): void;
}

interface Failure {
  extensionPath: string;
  event: string;
  error: string;
}

export class ExtensionSystem {
  readonly hooks: Hooks;
  readonly #options: SystemOptions;
  readonly #runner: HandlerRunner;
  readonly #events = createEventBus((channel, thrown) => this.#report({ path: channel }, 'events', thrown));
  #surroundings: Surroundings | undefined;
  #offers: { all: readonly Tool[]; active: readonly string[] } = { all: [], active: [] };
  #unsubscribe: () => void = () => {};
  /** Events reach handlers one after another, also those that the run does not wait for. */
  #tail: Promise<void> | undefined;
  /** What went wrong before anybody could be told. */
  #early: Failure[] = [];
  #begun = false;

  constructor(options: SystemOptions) {
    this.#options = options;
    this.#runner = new HandlerRunner({
      clock: options.ports.clock,
      limitMs: options.hookTimeoutMs,
      report: (extension, event, thrown) => this.#report(extension, event, thrown),
      surroundings: (extension, patience) => createContext(this.#here(), extension, patience),
    });
    this.hooks = createHooks({
      runner: this.#runner,
      now: () => options.ports.clock.now(),
      command: (said) => this.#command(said),
      moved: () => this.#look(),
    });
  }

  /** One after another, because what an extension registers first counts. Whoever fails is left out and named. */
  async load(sources: readonly ExtensionSource[]): Promise<void> {
    const loaded: Extension[] = [];
    for (const source of sources) {
      const extension = emptyExtension(source);
      try {
        await this.#open(source, extension);
        loaded.push(extension);
      } catch (thrown) {
        for (const name of extension.providers) this.#withdraw(name);
        this.#report(source, 'load', thrown);
      }
    }
    this.#runner.extensions = loaded;
  }

  get isEmpty(): boolean {
    return this.#runner.extensions.length === 0;
  }

  /** Flags that some extension registered. */
  get flags(): ReadonlyMap<string, ExtensionFlag> {
    return new Map(this.#runner.extensions.flatMap(({ flags }) => [...flags]));
  }

  /** The first to register a name has it. */
  tools(): readonly Tool[] {
    const named = new Map<string, Tool>();
    for (const extension of this.#runner.extensions) {
      for (const [name, tool] of extension.tools) {
        if (named.has(name)) continue;
        named.set(
          name,
          toolOf(tool, (signal) => createContext(this.#here(), extension, endless, signal)),
        );
      }
    }
    return [...named.values()];
  }

  commands(): readonly SlashCommand[] {
    return this.#runner.extensions.flatMap(({ commands, path, location }) =>
      [...commands].map(([name, { description }]) => ({
        name,
        ...(description === undefined ? {} : { description }),
        source: 'extension' as const,
        location,
        path,
      })),
    );
  }

  attach({ session, host, leave }: SessionPlace): void {
    const { ports, models, mode, uiTimeoutMs, reload } = this.#options;
    this.#surroundings = {
      session,
      ports,
      mode,
      uiTimeoutMs,
      host,
      leave,
      reload,
      log: new LogView(session),
      models: new ModelView(models),
      report: (extension, event, thrown) => this.#report(extension, event, thrown),
    };
    const number = numbered(() => ports.clock.now());
    this.#unsubscribe = session.subscribe((event) => this.#deliver(number(event)));
  }

  /** Somebody listens: what went wrong so far is told, and the extensions are told of the session. */
  async start(reason: 'startup' | 'reload'): Promise<void> {
    this.#begun = true;
    for (const failure of this.#early.splice(0)) this.#tell(failure);
    if (this.isEmpty) return;
    await this.#look();
    await this.#runner.emit({ type: 'session_start', reason } as { type: string });
  }

  /** The farewell of a reload. The last one of a session comes as a happening. */
  async end(): Promise<void> {
    await this.#runner.emit({ type: 'session_shutdown' });
    this.#unsubscribe();
    for (const { providers } of this.#runner.extensions) for (const name of providers) this.#withdraw(name);
    this.#events.clear();
    this.#runner.extensions = [];
  }

  async #open(source: ExtensionSource, extension: Extension): Promise<void> {
    const { ports, hookTimeoutMs } = this.#options;
    const late = () => new Error(`Loading took longer than ${hookTimeoutMs / 1000} s (extensions.hookTimeout)`);
    const patience = createPatience(ports.clock, hookTimeoutMs, late);
    try {
      const factory = await Promise.race([source.open(), patience.lost]);
      const api = createApi(extension, this.#parts());
      await Promise.race([(factory as (api: unknown) => unknown)(api), patience.lost]);
    } finally {
      patience.end();
    }
  }

  #parts(): ApiParts {
    const { flags, extras, models, apiOf } = this.#options;
    return {
      flags,
      extras,
      events: this.#events,
      surroundings: () => this.#surroundings,
      tools: () => ({
        all: this.#offers.all.map(({ name, doc, parameters }) => ({ name, description: doc, parameters })),
        active: this.#offers.active,
      }),
      chooseTools: (names) => {
        this.#here().session.tools.choose(names);
        this.#offers = { ...this.#offers, active: [...names] };
      },
      commands: () => this.commands(),
      provide(extension, name, provider) {
        if (!models.register) throw new Fault('refused', 'Providers cannot be added here');
        models.register(name, provider, apiOf(provider));
        extension.providers.add(name);
      },
      withdraw: (name) => this.#withdraw(name),
      toolsChanged: () => this.#surroundings?.session.context.renew(),
    };
  }

  /** What extensions read without waiting is read for them now. */
  async #look(): Promise<void> {
    const { session, log, models } = this.#here();
    const [all, active] = await Promise.all([
      session.tools.all(),
      session.tools.active(),
      log.refresh(),
      models.refresh(),
    ]);
    this.#offers = { all, active: active.map(({ name }) => name) };
  }

  #withdraw(name: string): void {
    this.#options.models.unregister?.(name);
  }

  #here(): Surroundings {
    if (this.#surroundings) return this.#surroundings;
    throw new Fault('refused', 'The session is not there yet');
  }

  #deliver(event: AgentEvent): undefined | Promise<void> {
    if (!this.#runner.has(event.type)) return undefined;
    const mine = (this.#tail ?? Promise.resolve()).then(() => this.#runner.emit(event));
    this.#tail = mine;
    void mine.then(() => {
      if (this.#tail === mine) this.#tail = undefined;
    });
    return mine;
  }

  /** Extensions' own words are not commands: they would otherwise call themselves. */
  #command({ text, via, source }: Said): InputVerdict | undefined {
    if (!text.startsWith('/') || source === 'extension') return undefined;
    const [word = ''] = text.slice(1).split(/\s/, 1);
    const owner = this.#runner.extensions.find(({ commands }) => commands.has(word));
    const command = owner?.commands.get(word);
    if (!owner || !command) return undefined;
    if (via !== 'prompt') {
      const wayOut = 'Use prompt() or execute the command when not streaming.';
      throw new Fault('refused', `Extension command "/${word}" cannot be queued. ${wayOut}`);
    }
    const args = text.slice(word.length + 1).trim();
    return {
      handled: true,
      work: async () => {
        try {
          const work = command.handler(args, createCommandContext(this.#here(), owner, endless));
          await abandonable(work, this.#here(), this.#options);
        } catch (thrown) {
          this.#report({ path: `command:${word}` }, 'command', thrown);
        }
      },
    };
  }

  #report({ path }: Pick<Extension, 'path'>, event: string, thrown: unknown): void {
    const failure = { extensionPath: path, event, error: messageOf(thrown) };
    if (this.#begun) this.#tell(failure);
    else this.#early.push(failure);
  }

  #tell(failure: Failure): void {
    if (failure.event === 'load') this.#options.warn(`${failure.extensionPath}: ${failure.error}`);
    this.#options.ports.log('extension failed', { ...failure });
    this.#surroundings?.session.complain(failure);
  }
}
