// First floor, core: `ctx`, what a handler, a tool or a command of an extension sees of the session it works in.
import type { AgentSession, HostUi, Ports } from '../../contracts/index.ts';
import type { CompactionResult } from '../../protocol/index.ts';
import { createDialogs, type ExtensionUi } from './dialogs.ts';
import type { Extension } from './extension.ts';
import type { LogView } from './log-view.ts';
import type { ModelView } from './model-view.ts';
import type { Patience } from './patience.ts';
import { promptOptions } from './prompt-options.ts';

/** What the extensions of one session share. */
export interface Surroundings {
  readonly session: AgentSession;
  readonly ports: Ports;
  readonly log: LogView;
  readonly models: ModelView;
  readonly mode: string;
  /** For questions that set no limit themselves. */
  readonly uiTimeoutMs: number | undefined;
  host(): HostUi | undefined;
  /** The process is to end when nothing is under way any more. */
  leave(): void;
  reload(): Promise<void>;
  report(extension: Pick<Extension, 'path'>, event: string, thrown: unknown): void;
}

interface CompactOptions {
  customInstructions?: string;
  onComplete?(result: CompactionResult): void;
  onError?(error: Error): void;
}

/** Extensions that were told once that there is no terminal to draw on. */
const told = new WeakSet<object>();

export function createContext(
  { session, ports, log, models, mode, uiTimeoutMs, host, leave }: Surroundings,
  extension: Pick<Extension, 'path'>,
  patience: Patience,
  signal?: AbortSignal,
) {
  const cannotDraw = () => {
    if (told.has(extension)) return;
    told.add(extension);
    const message = `${extension.path} draws its own interface, which needs a terminal; here custom() answers undefined`;
    session.notify({ level: 'warning', message, source: 'extensions' });
  };
  const ui: ExtensionUi = createDialogs({ host, timeoutMs: uiTimeoutMs, patience, signal, cannotDraw });
  return {
    ui,
    get hasUI() {
      return host() !== undefined;
    },
    mode,
    cwd: session.cwd,
    sessionManager: log,
    modelRegistry: models,
    get model() {
      return session.models.current ?? undefined;
    },
    get thinkingLevel() {
      return session.models.thinkingLevel;
    },
    get scopedModels() {
      return models.scoped;
    },
    isProjectTrusted: () => session.state().trusted,
    signal,
    isIdle: () => !session.runs.isRunning,
    abort: () => void session.runs.abort(),
    hasPendingMessages: () => session.queues.count > 0,
    shutdown: leave,
    getContextUsage: () => session.context.usage(),
    getSystemPrompt: () => session.context.systemPrompt,
    compact({ customInstructions, onComplete, onError }: CompactOptions = {}): void {
      session.compaction.compact(customInstructions).then(
        (result) => onComplete?.(result),
        (thrown: Error) => {
          ports.log('compaction of an extension failed', { error: String(thrown) });
          onError?.(thrown);
        },
      );
    },
  };
}

export type ExtensionContext = ReturnType<typeof createContext>;

interface NewSessionOptions {
  parentSession?: string;
  setup?(session: LogWriter): unknown;
}

/** What `setup` may put into a new session before anybody speaks. */
interface LogWriter {
  appendMessage(message: never): Promise<string>;
  appendCustomEntry(customType: string, data?: unknown): Promise<string>;
  appendSessionInfo(name: string): Promise<void>;
}

/** Commands may also leave one conversation for another: nothing waits for them that such a step would end. */
export function createCommandContext(
  surroundings: Surroundings,
  extension: Pick<Extension, 'path'>,
  patience: Patience,
) {
  const { session, reload, log } = surroundings;
  const { history } = session;
  const context = createContext(surroundings, extension, patience);
  const more = {
    waitForIdle: () => session.runs.settled(),
    getSystemPromptOptions: () => promptOptions(session.context.sources, session.cwd),
    async newSession({ parentSession, setup }: NewSessionOptions = {}): Promise<{ cancelled: boolean }> {
      const outcome = await history.startNew({ parentSession });
      if (!outcome.cancelled) await setup?.(writerOf(session));
      return outcome;
    },
    async fork(entryId: string): Promise<{ cancelled: boolean }> {
      const { cancelled } = await history.branch(entryId);
      return { cancelled };
    },
    branch: (entryId: string) => more.fork(entryId),
    switchSession: (path: string) => history.switchTo(path),
    async navigateTree(targetId: string, options: Parameters<typeof history.moveTo>[1] = {}) {
      const outcome = await history.moveTo(targetId, options);
      await log.refresh();
      return outcome;
    },
    reload,
  };
  return Object.defineProperties(more, Object.getOwnPropertyDescriptors(context)) as typeof more & ExtensionContext;
}

function writerOf({ entries, naming }: AgentSession): LogWriter {
  return {
    appendMessage: (message) => entries.append({ type: 'message', message }),
    appendCustomEntry: (customType, data) => entries.append({ type: 'custom', customType, data }),
    appendSessionInfo: (name) => naming.rename(name),
  };
}
