// The hall: where extensions would come in. All that every start pays for is a look at two folders; the rest is loaded on demand.
import { messageOf } from '../../base/index.ts';
import type {
  AgentSession,
  ExtensionFlag,
  Files,
  Hooks,
  HostUi,
  InputVerdict,
  Said,
  Tool,
} from '../../contracts/index.ts';
import type { ExtensionSystem, ResourcePaths } from '../../core/extension/index.ts';
import type { Looked } from './look.ts';
import type { FrontOptions } from './options.ts';

interface Hub {
  readonly ui: HostUi | undefined;
  leave(): void;
}

type System = ExtensionSystem | undefined;
type Ask = (about: unknown) => Promise<unknown>;

const DURING_RUNS = ['beforeRun', 'context', 'beforeRequest', 'toolCall', 'toolResult', 'beforeCompact'] as const;
/** The host may ask for these before it has said a word: what extensions prepare at the start must be in place. */
const ON_LEAVING = ['beforeSwitch', 'beforeBranch', 'beforeMove'] as const;

export class ExtensionFront {
  readonly hooks: Hooks;
  readonly #options: FrontOptions;
  #place: { session: AgentSession; hub: Hub } | undefined;
  #system: System;
  /** Everything that was found is loaded, or named as broken. Never rejects. */
  #loading: Promise<void>;
  #started: Promise<void> | undefined;
  #looking: Promise<Looked | undefined> | undefined;
  #round: 'startup' | 'reload' = 'startup';
  /** How far the present ones are: nobody waits for what is behind them. */
  #stage: 'loading' | 'loaded' | 'ready' = 'loading';

  constructor(options: FrontOptions) {
    this.#options = options;
    this.#loading = this.#find();
    this.hooks = this.#createHooks();
  }

  get loaded(): Promise<void> {
    return this.#loading;
  }

  get isEmpty(): boolean {
    return this.#system === undefined || this.#system.isEmpty;
  }

  /** What extensions registered, as far as they are loaded. */
  get flags(): ReadonlyMap<string, ExtensionFlag> {
    return this.#system?.flags ?? new Map();
  }

  /** Those of the flags that nobody knows, still. */
  get unknownFlags(): readonly string[] {
    return Object.keys(this.#options.flags ?? {}).filter((name) => !this.flags.has(name));
  }

  /** What is wrong with those that could not be loaded, as long as nobody has been told. */
  get problems(): readonly string[] {
    return this.#system?.problems ?? [];
  }

  async tools(): Promise<readonly Tool[]> {
    await this.#loading;
    return this.#system?.tools() ?? [];
  }

  /** Where new sessions are to be kept, when an extension says so. Waits only when one seems to. */
  async sessionDirectory(): Promise<string | undefined> {
    return (await this.#looking)?.sessionDirectory;
  }

  /** Paths that extensions add to those that are found, as they wrote them. */
  async resources(): Promise<ResourcePaths | undefined> {
    return (await this.#loaded())?.resources(this.#round);
  }

  attach(session: AgentSession, hub: Hub): void {
    this.#place = { session, hub };
    this.#options.places.onTrust(() => void this.reload());
  }

  /** Somebody listens to the session now. Only the first call counts. */
  start(): Promise<void> {
    this.#started ??= this.#loading.then(() => this.#begin());
    return this.#started;
  }

  /** From here on everybody who would ask extensions waits for the new ones. */
  reload(): Promise<void> {
    const before = this.start();
    this.#loading = this.#patiently(before).then(() => this.#again());
    this.#started = this.#loading.then(() => this.#begin());
    return this.#started;
  }

  async #again(): Promise<void> {
    this.#stage = 'loading';
    this.#round = 'reload';
    await this.#system?.end();
    this.#system = undefined;
    await this.#find();
    this.#place?.session.context.renew();
  }

  async #begin(): Promise<void> {
    const { session, hub } = this.#place ?? {};
    if (!this.#system || !session || !hub) return;
    const system = this.#system;
    system.attach({ session, host: () => hub.ui, leave: () => hub.leave() });
    this.#stage = 'loaded';
    await system.start(this.#round);
    if (system === this.#system) this.#stage = 'ready';
  }

  async #find(): Promise<void> {
    try {
      this.#looking = this.#look();
      this.#system = await (await this.#looking)?.system;
    } catch (thrown) {
      this.#options.warn(`Extensions could not be loaded: ${messageOf(thrown)}`);
    }
    if (!this.#system) this.#stage = 'ready';
  }

  async #look(): Promise<Looked | undefined> {
    const { paths = [], discover = true, ports } = this.#options;
    const folders = discover ? await this.#options.places.folders('extensions') : [];
    const there = await Promise.all(folders.map(({ path }) => isThere(ports.files, path)));
    if (paths.length === 0 && !there.includes(true)) return undefined;
    const { look } = await import('./look.ts');
    const places = { paths, folders: folders.filter((_, at) => there[at]) };
    return look({ ...this.#options, ...places, reload: () => this.reload() });
  }

  /** Each is there only when an extension wants it; all of them while extensions are on their way, who may want anything. */
  #createHooks(): Hooks {
    const hooks: Hooks = {
      input: (said) => this.#input(said),
      shell: async (planned) => (await this.#ready())?.hooks.shell?.(planned),
      commands: async () => {
        await this.#loading;
        return this.#system?.commands() ?? [];
      },
    };
    const offer = (name: keyof Hooks, hook: () => unknown) => Object.defineProperty(hooks, name, { get: hook });
    const of = (name: keyof Hooks) => this.#system?.hooks[name] as Ask | undefined;
    for (const name of DURING_RUNS) {
      const late: Ask = async (about) => (await this.#loaded()) && of(name)?.(about);
      offer(name, () => (this.#stage === 'loading' ? late : of(name)));
    }
    for (const name of ON_LEAVING) {
      const late: Ask = async (about) => (await this.#ready()) && of(name)?.(about);
      offer(name, () => (this.#stage === 'ready' ? of(name) : late));
    }
    offer('observe', () => of('observe'));
    return hooks;
  }

  async #input(said: Said): Promise<InputVerdict | undefined> {
    if (said.text.trim() === '/reload' && said.source !== 'extension' && said.via === 'prompt') {
      return { handled: true, work: () => this.reload() };
    }
    return (await this.#ready())?.hooks.input?.(said);
  }

  /** What was found is loaded and knows the session. */
  async #loaded(): Promise<System> {
    void this.start();
    await this.#loading;
    return this.#system;
  }

  /** The same, and has done what it does at the start. */
  async #ready(): Promise<System> {
    await this.#loading;
    if (this.#system) await this.#patiently(this.start());
    return this.#system;
  }

  /** An extension that asks something at the start, of somebody who does not answer, must not hold every prompt for ever. */
  async #patiently(work: Promise<void>): Promise<void> {
    const enough = new AbortController();
    await Promise.race([work, this.#options.ports.clock.sleep(this.#options.hookTimeoutMs, enough.signal)]);
    enough.abort();
  }
}

async function isThere(files: Pick<Files, 'info'>, path: string): Promise<boolean> {
  return (await files.info(path).catch(() => undefined))?.kind === 'directory';
}
