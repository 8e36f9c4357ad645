// Creates `ctx`, the context object for handlers, tools and commands of extensions.
import type { AgentSession, HostUi, Ports } from '../../contracts/index.ts';
import type { CompactionResult } from '../../protocol/index.ts';
import type { Extension } from './extension.ts';
import { createExtensionUi, type ExtensionUi, type ExtensionUiOptions } from './extension-ui.ts';
import type { HandlerTimeout } from './handler-timeout.ts';
import type { ModelRegistryView } from './model-registry-view.ts';
import { createPromptOptions } from './prompt-options.ts';
import type { SessionLogView } from './session-log-view.ts';

/** State that the extensions of one session share. */
export interface ExtensionScope {
  readonly session: AgentSession;
  readonly ports: Ports;
  readonly sessionLog: SessionLogView;
  readonly modelRegistry: ModelRegistryView;
  readonly mode: string;
  /** Timeout of dialogs that do not set their own. */
  readonly uiTimeoutMs: number | undefined;
  getHost(): HostUi | undefined;
  /** Ends the process as soon as nothing is running. */
  requestShutdown(): void;
  reload(): Promise<void>;
  report(extension: Pick<Extension, 'path'>, event: string, thrown: unknown): void;
  onDialog: NonNullable<ExtensionUiOptions['onDialog']>;
}

interface CompactOptions {
  customInstructions?: string;
  onComplete?(result: CompactionResult): void;
  onError?(error: Error): void;
}

/** Extensions that have already received the warning about ui.custom(). */
const warnedExtensions = new WeakSet<object>();

export function createExtensionContext(
  { session, ports, sessionLog, modelRegistry, mode, uiTimeoutMs, getHost, requestShutdown, onDialog }: ExtensionScope,
  extension: Pick<Extension, 'path'>,
  handlerTimeout: HandlerTimeout,
  signal?: AbortSignal,
) {
  const warnCustomUi = () => {
    if (warnedExtensions.has(extension)) return;
    warnedExtensions.add(extension);
    const message = `${extension.path} uses ui.custom(), which needs a terminal; it returns undefined in this mode`;
    session.notify({ level: 'warning', message, source: 'extensions' });
  };
  const ui: ExtensionUi = createExtensionUi({
    getHost,
    timeoutMs: uiTimeoutMs,
    handlerTimeout,
    signal,
    onDialog,
    warnCustomUi,
  });
  return {
    ui,
    get hasUI() {
      return getHost() !== undefined;
    },
    mode,
    cwd: session.cwd,
    sessionManager: sessionLog,
    modelRegistry: modelRegistry,
    get model() {
      return session.models.current ?? undefined;
    },
    get thinkingLevel() {
      return session.models.thinkingLevel;
    },
    get scopedModels() {
      return modelRegistry.scoped;
    },
    isProjectTrusted: () => session.state().trusted,
    signal,
    isIdle: () => !session.runs.isRunning,
    abort: () => void session.runs.abort(),
    hasPendingMessages: () => session.queues.count > 0,
    shutdown: requestShutdown,
    getContextUsage: () => session.context.usage(),
    getSystemPrompt: () => session.context.systemPrompt,
    compact({ customInstructions, onComplete, onError }: CompactOptions = {}): void {
      session.compaction.compact(customInstructions).then(
        (result) => onComplete?.(result),
        (thrown: Error) => {
          ports.log('compaction requested by an extension failed', { error: String(thrown) });
          onError?.(thrown);
        },
      );
    },
  };
}

export type ExtensionContext = ReturnType<typeof createExtensionContext>;

interface NewSessionOptions {
  parentSession?: string;
  setup?(session: SessionWriter): unknown;
}

/** Lets `setup` write entries into a new session before the first message. */
interface SessionWriter {
  appendMessage(message: never): Promise<string>;
  appendCustomEntry(customType: string, data?: unknown): Promise<string>;
  appendSessionInfo(name: string): Promise<void>;
}

/** Commands may also switch sessions. Handlers may not: the run that waits for them would be ended by the switch. */
export function createCommandContext(
  scope: ExtensionScope,
  extension: Pick<Extension, 'path'>,
  handlerTimeout: HandlerTimeout,
) {
  const { session, reload, sessionLog } = scope;
  const { history } = session;
  const context = createExtensionContext(scope, extension, handlerTimeout);
  const commandMethods = {
    waitForIdle: () => session.runs.waitUntilSettled(),
    getSystemPromptOptions: () => createPromptOptions(session.context.sources, session.cwd),
    async newSession({ parentSession, setup }: NewSessionOptions = {}): Promise<{ cancelled: boolean }> {
      const outcome = await history.startNew({ parentSession });
      if (!outcome.cancelled) await setup?.(createSessionWriter(session));
      return outcome;
    },
    async fork(entryId: string): Promise<{ cancelled: boolean }> {
      const { cancelled } = await history.branch(entryId);
      return { cancelled };
    },
    branch: (entryId: string) => commandMethods.fork(entryId),
    switchSession: (path: string) => history.switchTo(path),
    async navigateTree(targetId: string, options: Parameters<typeof history.moveTo>[1] = {}) {
      const outcome = await history.moveTo(targetId, options);
      await sessionLog.refresh();
      return outcome;
    },
    reload,
  };
  return Object.defineProperties(commandMethods, Object.getOwnPropertyDescriptors(context)) as typeof commandMethods &
    ExtensionContext;
}

function createSessionWriter({ entries, naming }: AgentSession): SessionWriter {
  return {
    appendMessage: (message) => entries.append({ type: 'message', message }),
    appendCustomEntry: (customType, data) => entries.append({ type: 'custom', customType, data }),
    appendSessionInfo: (name) => naming.rename(name),
  };
}
