// First floor, core: the extensions of one session, from loading to farewell. Knows neither files nor how code is read.
import { Fault } from '../../base/index.ts';
import type { ExtensionFlag, ExtensionSource, Hooks, SlashCommand, Tool } from '../../contracts/index.ts';
import { offerOf } from '../context/offers.ts';
import { type ApiParts, createApi } from './api.ts';
import { createEventBus } from './bus.ts';
import { Deeds } from './deeds.ts';
import { type Extension, emptyExtension } from './extension.ts';
import { type Failure, Failures } from './failures.ts';
import { createHooks } from './hooks.ts';
import { LogView } from './log-view.ts';
import { ModelView } from './model-view.ts';
import { discoverResources, type ResourcePaths, sessionDirectory } from './moments/places.ts';
import { createPatience, endless, patiently } from './patience.ts';
import { HandlerRunner } from './runner.ts';
import { commandCalled, commandsOf } from './slash-commands.ts';
import { createCommandContext, createContext, type Surroundings } from './surroundings.ts';
import type { SessionPlace, SystemOptions } from './system-options.ts';
import { toolsOf } from './tools.ts';
import { numbered } from './turns.ts';
import { abandonable } from './waiting.ts';

export class ExtensionSystem {
  readonly hooks: Hooks;
  readonly #options: SystemOptions;
  readonly #runner: HandlerRunner;
  readonly #failures = new Failures((failure) => this.#tell(failure));
  readonly #deeds = new Deeds();
  readonly #events = createEventBus((channel, thrown) => this.#failures.report({ path: channel }, 'events', thrown));
  #surroundings: Surroundings | undefined;
  #offers: ReturnType<ApiParts['tools']> = { all: [], active: [] };
  #unsubscribe: () => void = () => {};
  #resources: Promise<ResourcePaths> | undefined;

  constructor(options: SystemOptions) {
    this.#options = options;
    this.#runner = new HandlerRunner({
      clock: options.ports.clock,
      limitMs: options.hookTimeoutMs,
      report: this.#failures.report,
      surroundings: (extension, patience) => {
        const here = this.#here();
        // What is asked on behalf of a run is answered with the default when that run is aborted.
        return createContext(here, extension, patience, here.session.runs.signal);
      },
    });
    this.hooks = createHooks({
      runner: this.#runner,
      now: () => options.ports.clock.now(),
      command: (said) =>
        commandCalled(this.#runner.extensions, said, { carryOut: (...call) => this.#command(...call) }),
      moved: () => this.#look(),
      idle: () => this.#idle(),
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
        this.#failures.report(source, 'load', thrown);
      }
    }
    this.#runner.extensions = loaded;
  }

  get isEmpty(): boolean {
    return this.#runner.extensions.length === 0;
  }

  /** What is wrong with those that could not be loaded, as long as nobody has been told. */
  get problems(): readonly string[] {
    return this.#failures.untold.filter(({ event }) => event === 'load').map(sentence);
  }

  /** Flags that some extension registered. */
  get flags(): ReadonlyMap<string, ExtensionFlag> {
    return new Map(this.#runner.extensions.flatMap(({ flags }) => [...flags]));
  }

  tools(): readonly Tool[] {
    return toolsOf(
      this.#runner.extensions,
      (extension, signal) => createContext(this.#here(), extension, endless, signal),
      this.#options.ports.tryPatterns,
    );
  }

  commands(): readonly SlashCommand[] {
    return commandsOf(this.#runner.extensions);
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
      report: this.#failures.report,
    };
    const number = numbered(() => ports.clock.now());
    this.#unsubscribe = session.subscribe((event) => this.#runner.deliver(number(event)));
  }

  hears(event: string): boolean {
    return this.#runner.has(event);
  }

  /** Before there is a session. */
  sessionDirectory(cwd: string): Promise<string | undefined> {
    return sessionDirectory(this.#runner, cwd);
  }

  /** Asked once, by whoever needs them first. */
  resources(reason: 'startup' | 'reload'): Promise<ResourcePaths> {
    const { ports, hookTimeoutMs } = this.#options;
    const about = { cwd: this.#here().session.cwd, reason };
    this.#resources ??= discoverResources(this.#runner, about, (work) => patiently(ports.clock, hookTimeoutMs, work));
    return this.#resources;
  }

  /** Somebody listens: what went wrong so far is told, and the extensions are told of the session. */
  async start(reason: 'startup' | 'reload'): Promise<void> {
    this.#failures.begin();
    if (this.isEmpty) return;
    await this.#look();
    await this.resources(reason);
    await this.#runner.emit({ type: 'session_start', reason } as { type: string });
  }

  /** The farewell of a reload. The last one of a session comes as a happening. */
  async end(): Promise<void> {
    await this.#runner.emit({ type: 'session_shutdown' });
    await this.#idle();
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
      deeds: this.#deeds,
      events: this.#events,
      surroundings: () => this.#surroundings,
      tools: () => this.#offers,
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
      lacks: (extension, method, what) =>
        this.#failures.report(extension, method, new Error(`${what} are not offered here; going on without`)),
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
    this.#offers = { all: all.map(offerOf), active: active.map(({ name }) => name) };
  }

  /** One that never comes to its end must not keep anybody for ever. */
  #idle(): Promise<void> {
    const { ports, hookTimeoutMs } = this.#options;
    return patiently(ports.clock, hookTimeoutMs, this.#deeds.idle());
  }

  #withdraw(name: string): void {
    this.#options.models.unregister?.(name);
  }

  #here(): Surroundings {
    if (this.#surroundings) return this.#surroundings;
    throw new Fault('refused', 'The session is not there yet');
  }

  async #command(owner: Extension, word: string, args: string): Promise<void> {
    try {
      const work = owner.commands.get(word)?.handler(args, createCommandContext(this.#here(), owner, endless));
      await abandonable(work, this.#here(), this.#options);
    } catch (thrown) {
      this.#failures.report({ path: `command:${word}` }, 'command', thrown);
    }
  }

  #tell(failure: Failure): void {
    if (failure.event === 'load') this.#options.warn(sentence(failure));
    this.#options.ports.log('extension failed', { ...failure });
    this.#surroundings?.session.complain(failure);
  }
}

function sentence({ extensionPath, error }: Failure): string {
  return `${extensionPath}: ${error}`;
}
