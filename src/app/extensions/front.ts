// The hall: where extensions would come in. All that every start pays for is a look at two folders; the rest is loaded on demand.
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
import type { ExtensionSystem } from '../../core/extension/index.ts';
import type { FrontOptions } from './options.ts';

interface Hub {
  readonly ui: HostUi | undefined;
  leave(): void;
}

export class ExtensionFront {
  readonly hooks: Hooks;
  readonly #options: FrontOptions;
  #place: { session: AgentSession; hub: Hub } | undefined;
  #system: ExtensionSystem | undefined;
  /** Everything that was found is loaded, or named as broken. */
  #loading: Promise<void>;
  #started: Promise<void> | undefined;

  constructor(options: FrontOptions) {
    this.#options = options;
    this.#loading = this.#find();
    // Whoever needs it waits for it and hears of it; until then nobody does.
    this.#loading.catch(() => {});
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

  async tools(): Promise<readonly Tool[]> {
    await this.#loading;
    return this.#system?.tools() ?? [];
  }

  attach(session: AgentSession, hub: Hub): void {
    this.#place = { session, hub };
    this.#options.places.onTrust(() => void this.reload());
  }

  /** Somebody listens to the session now. Only the first call counts. */
  start(): Promise<void> {
    this.#started ??= this.#loading.then(() => this.#begin('startup'));
    return this.#started;
  }

  async reload(): Promise<void> {
    await this.start();
    await this.#system?.end();
    this.#system = undefined;
    this.#loading = this.#find();
    await this.#loading;
    this.#place?.session.context.renew();
    await this.#begin('reload');
  }

  async #begin(reason: 'startup' | 'reload'): Promise<void> {
    const { session, hub } = this.#place ?? {};
    if (!this.#system || !session || !hub) return;
    this.#system.attach({ session, host: () => hub.ui, leave: () => hub.leave() });
    await this.#system.start(reason);
  }

  async #find(): Promise<void> {
    const { paths = [], discover = true, ports } = this.#options;
    const folders = discover ? await this.#options.places.folders('extensions') : [];
    const there = await Promise.all(folders.map(({ path }) => isThere(ports.files, path)));
    if (paths.length === 0 && !there.includes(true)) return;
    const { loadExtensions } = await import('./load.ts');
    this.#system = await loadExtensions({
      ...this.#options,
      paths,
      folders: folders.filter((_, at) => there[at]),
      reload: () => this.reload(),
    });
  }

  /** Each is there only when an extension wants it; the first ones always, because extensions may still be on their way. */
  #createHooks(): Hooks {
    const of = <K extends keyof Hooks>(name: K): Hooks[K] => this.#system?.hooks[name];
    return {
      input: (said) => this.#input(said),
      shell: async (planned) => (await this.#ready())?.hooks.shell?.(planned),
      commands: async () => {
        await this.#loading;
        return this.#system?.commands() ?? [];
      },
      get beforeRun() {
        return of('beforeRun');
      },
      get context() {
        return of('context');
      },
      get beforeRequest() {
        return of('beforeRequest');
      },
      get toolCall() {
        return of('toolCall');
      },
      get toolResult() {
        return of('toolResult');
      },
      get beforeSwitch() {
        return of('beforeSwitch');
      },
      get beforeBranch() {
        return of('beforeBranch');
      },
      get beforeCompact() {
        return of('beforeCompact');
      },
      get beforeMove() {
        return of('beforeMove');
      },
      get observe() {
        return of('observe');
      },
    };
  }

  async #input(said: Said): Promise<InputVerdict | undefined> {
    if (said.text.trim() === '/reload' && said.source !== 'extension' && said.via === 'prompt') {
      return { handled: true, work: () => this.reload() };
    }
    return (await this.#ready())?.hooks.input?.(said);
  }

  /** What was found is loaded and knows the session. */
  async #ready(): Promise<ExtensionSystem | undefined> {
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
