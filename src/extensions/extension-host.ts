// Loads, starts and reloads extensions, and provides their hooks and tools. A start without extensions only checks folders; all
// other code is loaded on demand.
import { getErrorMessage } from '../base/index.ts';
import type {
  AgentSession,
  ExtensionFlag,
  ExtensionTrustDecision,
  Files,
  Hooks,
  HostUi,
  InputHookResult,
  SubmittedInput,
  Tool,
} from '../contracts/index.ts';
import type { ExtensionResourcePaths, ExtensionSystem } from '../core/extension/index.ts';
import { waitAtMost } from '../support/wait-at-most.ts';
import type { ExtensionsLoading } from './discover-and-load.ts';
import type { ExtensionHostOptions } from './extension-options.ts';

interface HubConnection {
  readonly ui: HostUi | undefined;
  requestExit(): void;
}

type LoadedSystem = ExtensionSystem | undefined;
type AnyHook = (argument: unknown) => Promise<unknown>;

const RUN_HOOKS = [
  'beforeRun',
  'context',
  'planRequest',
  'requestHeaders',
  'beforeRequest',
  'onResponse',
  'toolCall',
  'toolResult',
  'beforeCompact',
  'beforeSettle',
] as const;
/** The host may trigger these before the first prompt, so they wait until extensions have handled the session start. */
const SESSION_CHANGE_HOOKS = ['beforeSwitch', 'beforeBranch', 'beforeMove'] as const;

export class ExtensionHost {
  readonly hooks: Hooks;
  readonly #options: ExtensionHostOptions;
  #attached: { session: AgentSession; hub: HubConnection } | undefined;
  #loadedSystem: LoadedSystem;
  /** Resolves when all extensions are loaded or reported as broken. Never rejects. */
  #loading: Promise<void>;
  #started: Promise<void> | undefined;
  #discovery: Promise<ExtensionsLoading | undefined> | undefined;
  #startReason: 'startup' | 'reload' = 'startup';
  /** The state of the current extensions. Hooks wait only for states that are not reached yet. */
  #stage: 'loading' | 'loaded' | 'ready' = 'loading';

  constructor(options: ExtensionHostOptions) {
    this.#options = options;
    this.#loading = this.#discoverAndLoad();
    this.hooks = this.#createHooks();
  }

  get loaded(): Promise<void> {
    return this.#loading;
  }

  get isEmpty(): boolean {
    return this.#loadedSystem === undefined || this.#loadedSystem.isEmpty;
  }

  /** Flags that the loaded extensions have registered. */
  get flags(): ReadonlyMap<string, ExtensionFlag> {
    return this.#loadedSystem?.flags ?? new Map();
  }

  /** Command-line flags that no loaded extension has registered. */
  get unknownFlags(): readonly string[] {
    return Object.keys(this.#options.flags ?? {}).filter((name) => !this.flags.has(name));
  }

  /** Load errors that have not been reported yet. */
  get problems(): readonly string[] {
    return this.#loadedSystem?.loadProblems ?? [];
  }

  async tools(): Promise<readonly Tool[]> {
    await this.#loading;
    return this.#loadedSystem?.tools() ?? [];
  }

  /** The directory for new sessions, if an extension sets it. Waits for loading only if an extension mentions the event. */
  async sessionDirectory(): Promise<string | undefined> {
    return (await this.#discovery)?.sessionDirectory;
  }

  /** Additional resource paths of extensions, not resolved. */
  async resources(): Promise<ExtensionResourcePaths | undefined> {
    const discovered = await (await this.#waitUntilLoaded())?.discoverResources(this.#startReason);
    const { skills = [], templates = [] } = (await this.#discovery)?.resources ?? {};
    return {
      skills: [...skills, ...(discovered?.skills ?? [])],
      templates: [...templates, ...(discovered?.templates ?? [])],
    };
  }

  async canDecideTrust(): Promise<boolean> {
    return (await this.#waitUntilLoaded())?.hasHandler('project_trust') ?? false;
  }

  /** What an extension decides about a project that is not trusted. `undefined` if no extension decides. */
  async decideTrust(cwd: string): Promise<ExtensionTrustDecision | undefined> {
    return (await this.#waitUntilLoaded())?.decideTrust(cwd);
  }

  attach(session: AgentSession, hubConnection: HubConnection): void {
    this.#attached = { session, hub: hubConnection };
    this.#options.resourceLocator.onTrusted(() => void this.reload());
  }

  /** Called when a host has connected to the session. Later calls return the same promise. */
  start(): Promise<void> {
    this.#started ??= this.#loading.then(() => this.#startSystem());
    return this.#started;
  }

  /** From now on all hooks wait for the reloaded extensions. */
  reload(): Promise<void> {
    const started = this.start();
    this.#loading = this.#waitWithTimeout(started).then(() => this.#reloadSystem());
    this.#started = this.#loading.then(() => this.#startSystem());
    // Not awaited: the list waits for the extensions, and hooks do not need it.
    void this.#started.then(() => this.#attached?.session.announceSlashCommands()).catch(() => {});
    return this.#started;
  }

  async #reloadSystem(): Promise<void> {
    this.#stage = 'loading';
    this.#startReason = 'reload';
    await this.#loadedSystem?.shutDown();
    this.#loadedSystem = undefined;
    await this.#discoverAndLoad();
    this.#attached?.session.context.invalidate();
  }

  async #startSystem(): Promise<void> {
    const { session, hub } = this.#attached ?? {};
    if (!this.#loadedSystem || !session || !hub) return;
    const system = this.#loadedSystem;
    system.attach({ session, getHost: () => hub.ui, requestShutdown: () => hub.requestExit() });
    this.#stage = 'loaded';
    await system.start(this.#startReason);
    if (system === this.#loadedSystem) this.#stage = 'ready';
  }

  async #discoverAndLoad(): Promise<void> {
    try {
      this.#discovery = this.#discover();
      this.#loadedSystem = await (await this.#discovery)?.system;
    } catch (thrown) {
      this.#options.warn(`Extensions could not be loaded: ${getErrorMessage(thrown)}`);
    }
    if (!this.#loadedSystem) this.#stage = 'ready';
  }

  async #discover(): Promise<ExtensionsLoading | undefined> {
    const { paths = [], discover = true, ports } = this.#options;
    const folders = discover ? await this.#options.resourceLocator.listDirectories('extensions') : [];
    const areDirectories = await Promise.all(folders.map(({ path }) => isDirectory(ports.files, path)));
    if (paths.length === 0 && !areDirectories.includes(true)) return undefined;
    const { discoverAndLoad } = await import('./discover-and-load.ts');
    const locations = { paths, folders: folders.filter((_, at) => areDirectories[at]) };
    return discoverAndLoad({ ...this.#options, ...locations, reload: () => this.reload() });
  }

  /** A hook is defined only if an extension handles it. While extensions are loading, all hooks are defined, because any may be needed. */
  #createHooks(): Hooks {
    const hooks: Hooks = {
      input: (input) => this.#handleInput(input),
      shell: async (planned) => (await this.#waitUntilReady())?.hooks.shell?.(planned),
      listSlashCommands: async () => {
        await this.#loading;
        return this.#loadedSystem?.commands() ?? [];
      },
    };
    const defineHook = (name: keyof Hooks, hook: () => unknown) => Object.defineProperty(hooks, name, { get: hook });
    const getHook = (name: keyof Hooks) => this.#loadedSystem?.hooks[name] as AnyHook | undefined;
    for (const name of RUN_HOOKS) {
      const waitingHook: AnyHook = async (argument) => (await this.#waitUntilLoaded()) && getHook(name)?.(argument);
      defineHook(name, () => (this.#stage === 'loading' ? waitingHook : getHook(name)));
    }
    for (const name of SESSION_CHANGE_HOOKS) {
      const waitingHook: AnyHook = async (argument) => (await this.#waitUntilReady()) && getHook(name)?.(argument);
      defineHook(name, () => (this.#stage === 'ready' ? getHook(name) : waitingHook));
    }
    defineHook('onLifecycleEvent', () => getHook('onLifecycleEvent'));
    return hooks;
  }

  async #handleInput(input: SubmittedInput): Promise<InputHookResult | undefined> {
    if (input.text.trim() === '/reload' && input.source !== 'extension' && input.via === 'prompt') {
      return { handled: true, runAfterAccept: () => this.reload() };
    }
    return (await this.#waitUntilReady())?.hooks.input?.(input);
  }

  /** Waits until extensions are loaded. */
  async #waitUntilLoaded(): Promise<LoadedSystem> {
    void this.start();
    await this.#loading;
    return this.#loadedSystem;
  }

  /** Waits until extensions are loaded and have handled the session start, up to a timeout. */
  async #waitUntilReady(): Promise<LoadedSystem> {
    await this.#loading;
    if (this.#loadedSystem) await this.#waitWithTimeout(this.start());
    return this.#loadedSystem;
  }

  /** An extension may ask the user a question at start. Without an answer it must not block prompts forever. */
  async #waitWithTimeout(work: Promise<void>): Promise<void> {
    await waitAtMost(this.#options.ports.clock, this.#options.hookTimeoutMs, work);
  }
}

async function isDirectory(files: Pick<Files, 'info'>, path: string): Promise<boolean> {
  return (await files.info(path).catch(() => undefined))?.kind === 'directory';
}
