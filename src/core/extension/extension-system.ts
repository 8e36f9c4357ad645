// Manages the extensions of one session from loading to shutdown. Does not read files or load code itself.
import { Fault } from '../../base/index.ts';
import type {
  ExtensionFlag,
  ExtensionSource,
  ExtensionTrustDecision,
  Hooks,
  SlashCommand,
  Tool,
} from '../../contracts/index.ts';
import { createSourceInfo } from '../../support/source-info.ts';
import { waitAtMost } from '../../support/wait-at-most.ts';
import { describeTool } from '../context/describe-tool.ts';
import type { ExtensionToolInfo } from './action-methods.ts';
import { createDialogEvents } from './dialog-events.ts';
import { createEventBus } from './event-bus.ts';
import {
  discoverResources,
  type ExtensionResourcePaths,
  resolveSessionDirectory,
} from './event-handlers/discover-resources.ts';
import { emitProjectTrust } from './event-handlers/project-trust.ts';
import { createExtension, type Extension } from './extension.ts';
import { createExtensionApi, type ExtensionApiOptions } from './extension-api.ts';
import { createCommandContext, createExtensionContext, type ExtensionScope } from './extension-context.ts';
import { createExtensionHooks } from './extension-hooks.ts';
import type { ExtensionSystemOptions, SessionAttachment } from './extension-system-options.ts';
import { createExtensionTools } from './extension-tools.ts';
import { type ExtensionFailure, FailureReporter } from './failure-reporter.ts';
import { HandlerRunner } from './handler-runner.ts';
import { createHandlerTimeout, noTimeout } from './handler-timeout.ts';
import { ModelRegistryView } from './model-registry-view.ts';
import { SessionLogView } from './session-log-view.ts';
import { listCommands, resolveCommand } from './slash-commands.ts';
import { TaskQueue } from './task-queue.ts';
import { createTurnNumbering } from './turn-numbering.ts';
import { waitForCommand } from './wait-for-command.ts';

export class ExtensionSystem {
  readonly hooks: Hooks;
  readonly #options: ExtensionSystemOptions;
  readonly #runner: HandlerRunner;
  readonly #failures = new FailureReporter((failure) => this.#reportFailure(failure));
  readonly #taskQueue = new TaskQueue();
  readonly #events = createEventBus((channel, thrown) => this.#failures.report({ path: channel }, 'events', thrown));
  #scope: ExtensionScope | undefined;
  #toolSnapshot: ReturnType<ExtensionApiOptions['tools']> = { all: [], active: [] };
  /** Prompt templates and skills. */
  #otherCommands: readonly SlashCommand[] = [];
  #unsubscribe: () => void = () => {};
  #resources: Promise<ExtensionResourcePaths> | undefined;

  constructor(options: ExtensionSystemOptions) {
    this.#options = options;
    this.#runner = new HandlerRunner({
      clock: options.ports.clock,
      timeoutMs: options.hookTimeoutMs,
      report: this.#failures.report,
      createContext: (extension, handlerTimeout) => {
        const scope = this.#requireScope();
        // When the run is aborted, dialogs opened on its behalf return their default.
        return createExtensionContext(scope, extension, handlerTimeout, scope.session.runs.signal);
      },
    });
    this.hooks = createExtensionHooks({
      runner: this.#runner,
      now: () => options.ports.clock.now(),
      report: this.#failures.report,
      resolveCommand: (submittedInput) =>
        resolveCommand(this.#runner.extensions, submittedInput, { execute: (...call) => this.#runCommand(...call) }),
      onSessionChanged: () => this.#refreshViews(),
      waitUntilIdle: () => this.#waitUntilIdle(),
    });
  }

  /** Loads in order, because the first registration of a name wins. An extension that fails is left out and reported. */
  async load(sources: readonly ExtensionSource[]): Promise<void> {
    const loaded: Extension[] = [];
    for (const source of sources) {
      const extension = createExtension(source);
      try {
        await this.#loadExtension(source, extension);
        loaded.push(extension);
      } catch (thrown) {
        for (const name of extension.providers) this.#unregisterProvider(name);
        this.#failures.report(source, 'load', thrown);
      }
    }
    this.#runner.extensions = loaded;
  }

  get isEmpty(): boolean {
    return this.#runner.extensions.length === 0;
  }

  /** Load failures that have not been reported yet. */
  get loadProblems(): readonly string[] {
    return this.#failures.unreported.filter(({ event }) => event === 'load').map(formatFailure);
  }

  /** Flags of all extensions. */
  get flags(): ReadonlyMap<string, ExtensionFlag> {
    return new Map(this.#runner.extensions.flatMap(({ flags }) => [...flags]));
  }

  tools(): readonly Tool[] {
    return createExtensionTools(
      this.#runner.extensions,
      (extension, signal) => createExtensionContext(this.#requireScope(), extension, noTimeout, signal),
      this.#options.ports.testPatterns,
    );
  }

  commands(): readonly SlashCommand[] {
    return listCommands(this.#runner.extensions);
  }

  attach({ session, getHost, requestShutdown }: SessionAttachment): void {
    const { ports, models, mode, uiTimeoutMs, reload } = this.#options;
    this.#scope = {
      session,
      ports,
      mode,
      uiTimeoutMs,
      getHost,
      requestShutdown,
      reload,
      sessionLog: new SessionLogView(session),
      modelRegistry: new ModelRegistryView(models, ports.clock),
      report: this.#failures.report,
      onDialog: createDialogEvents(this.#runner),
    };
    const numberTurns = createTurnNumbering(() => ports.clock.now());
    this.#unsubscribe = session.subscribe((event) => this.#runner.emitInOrder(numberTurns(event)));
  }

  hasHandler(event: string): boolean {
    return this.#runner.hasHandler(event);
  }

  /** Called before there is a session. */
  resolveSessionDirectory(cwd: string): Promise<string | undefined> {
    return resolveSessionDirectory(this.#runner, cwd);
  }

  /** `undefined` if no extension decides. */
  async decideTrust(cwd: string): Promise<ExtensionTrustDecision | undefined> {
    const { mode, uiTimeoutMs } = this.#options;
    return emitProjectTrust(this.#runner, { cwd, mode, uiTimeoutMs, getHost: () => this.#scope?.getHost() });
  }

  /** Emits the event once and caches the result. */
  discoverResources(reason: 'startup' | 'reload'): Promise<ExtensionResourcePaths> {
    const { ports, hookTimeoutMs } = this.#options;
    const request = { cwd: this.#requireScope().session.cwd, reason };
    this.#resources ??= discoverResources(this.#runner, request, (work) =>
      waitAtMost(ports.clock, hookTimeoutMs, work),
    );
    return this.#resources;
  }

  /** Called when the host is connected: reports the failures so far and emits `session_start`. */
  async start(reason: 'startup' | 'reload'): Promise<void> {
    this.#failures.startReporting();
    if (this.isEmpty) return;
    await this.#refreshViews();
    await this.discoverResources(reason);
    const { session } = this.#requireScope();
    this.#otherCommands = (await session.listSlashCommands()).filter(({ source }) => source !== 'extension');
    await this.#runner.emit({ type: 'session_start', reason } as { type: string });
  }

  /** Shuts down for a reload. At the end of a session, `session_shutdown` is emitted by `onLifecycleEvent` instead. */
  async shutDown(): Promise<void> {
    await this.#runner.emit({ type: 'session_shutdown' });
    await this.#waitUntilIdle();
    this.#unsubscribe();
    for (const { providers } of this.#runner.extensions) for (const name of providers) this.#unregisterProvider(name);
    this.#events.clear();
    this.#runner.extensions = [];
  }

  async #loadExtension(source: ExtensionSource, extension: Extension): Promise<void> {
    const { ports, hookTimeoutMs } = this.#options;
    const createTimeoutError = () =>
      new Error(`Loading took longer than ${hookTimeoutMs / 1000} s (extensions.hookTimeout)`);
    const handlerTimeout = createHandlerTimeout(ports.clock, hookTimeoutMs, createTimeoutError);
    try {
      const factory = await Promise.race([source.load(), handlerTimeout.expired]);
      const api = createExtensionApi(extension, this.#createApiOptions());
      await Promise.race([(factory as (api: unknown) => unknown)(api), handlerTimeout.expired]);
    } finally {
      handlerTimeout.stop();
    }
  }

  #createApiOptions(): ExtensionApiOptions {
    const { flags, extras, models, createModelApi } = this.#options;
    return {
      flags,
      extras,
      taskQueue: this.#taskQueue,
      events: this.#events,
      getScope: () => this.#scope,
      tools: () => this.#toolSnapshot,
      setActiveTools: (names) => {
        this.#requireScope().session.tools.select(names);
        this.#toolSnapshot = { ...this.#toolSnapshot, active: [...names] };
      },
      commands: () => [...this.commands(), ...this.#otherCommands],
      registerProvider(extension, name, provider) {
        if (!models.register) throw new Fault('refused', 'Providers cannot be registered in this mode');
        models.register(name, provider, createModelApi(provider));
        extension.providers.add(name);
      },
      unregisterProvider: (name) => this.#unregisterProvider(name),
      onToolsChanged: () => this.#scope?.session.context.invalidate(),
      reportUnsupported: (extension, method, feature) =>
        this.#failures.report(extension, method, new Error(`${feature} are not supported; the call is ignored`)),
    };
  }

  /** Refreshes the cached data that extensions read synchronously. */
  async #refreshViews(): Promise<void> {
    const { session, sessionLog, modelRegistry } = this.#requireScope();
    const [all, active] = await Promise.all([
      session.tools.listAll(),
      session.tools.listActive(),
      sessionLog.refresh(),
      modelRegistry.refresh(),
    ]);
    this.#toolSnapshot = { all: all.map((tool) => this.#describeTool(tool)), active: active.map(({ name }) => name) };
  }

  #describeTool(tool: Tool): ExtensionToolInfo {
    const { name, guidelines = [] } = tool;
    const owner = this.#runner.extensions.find(({ tools }) => tools.has(name));
    const source = this.#options.builtinToolNames.includes(name) ? 'builtin' : 'sdk';
    const path = source === 'builtin' ? `builtin:${name}` : `<sdk:${name}>`;
    return {
      ...describeTool(tool),
      promptGuidelines: guidelines,
      sourceInfo: owner ? createSourceInfo(owner) : { path, source, scope: 'temporary', origin: 'top-level' },
    };
  }

  /** Limited by the hook timeout: an action that never ends must not block the session. */
  #waitUntilIdle(): Promise<void> {
    const { ports, hookTimeoutMs } = this.#options;
    return waitAtMost(ports.clock, hookTimeoutMs, this.#taskQueue.waitUntilIdle());
  }

  #unregisterProvider(name: string): void {
    this.#options.models.unregister?.(name);
  }

  #requireScope(): ExtensionScope {
    if (this.#scope) return this.#scope;
    throw new Fault('refused', 'The session is not initialized yet');
  }

  async #runCommand(owner: Extension, name: string, args: string): Promise<void> {
    try {
      const work = owner.commands
        .get(name)
        ?.handler(args, createCommandContext(this.#requireScope(), owner, noTimeout));
      await waitForCommand(work, this.#requireScope(), this.#options);
    } catch (thrown) {
      this.#failures.report({ path: `command:${name}` }, 'command', thrown);
    }
  }

  #reportFailure(failure: ExtensionFailure): void {
    if (failure.event === 'load') this.#options.warn(formatFailure(failure));
    this.#options.ports.log('extension failed', { ...failure });
    this.#scope?.session.reportExtensionError(failure);
  }
}

function formatFailure({ extensionPath, error }: ExtensionFailure): string {
  return `${extensionPath}: ${error}`;
}
