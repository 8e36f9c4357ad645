// Creates the action methods of `pi`: they send messages, write entries and change the session. Only usable after loading.
import { Fault } from '../../base/index.ts';
import type { AgentSession, CustomMessageOptions, SlashCommand, ToolDefinition } from '../../contracts/index.ts';
import type { CustomMessage, ImageContent, Model, TextContent, ThinkingLevel } from '../../protocol/index.ts';
import { createSourceInfo, type SourceInfo } from '../../support/source-info.ts';
import { type ExecOptions, type ExecResult, exec } from './exec.ts';
import type { Extension } from './extension.ts';
import type { ExtensionScope } from './extension-context.ts';
import type { TaskQueue } from './task-queue.ts';

const NOT_INITIALIZED = 'Extension runtime not initialized. Action methods cannot be called during extension loading.';

export interface ActionMethodOptions {
  /** `undefined` while extensions are being loaded. */
  getScope(): ExtensionScope | undefined;
  /** Runs actions that extensions do not await. */
  taskQueue: TaskQueue;
  /** The tools as of the last refresh. */
  tools(): { all: readonly ExtensionToolInfo[]; active: readonly string[] };
  setActiveTools(names: readonly string[]): void;
  /** The commands of all sources, as of the last refresh. */
  commands(): readonly SlashCommand[];
}

/** A tool as `pi.getAllTools` lists it. */
export interface ExtensionToolInfo extends ToolDefinition {
  readonly promptGuidelines: readonly string[];
  readonly sourceInfo: SourceInfo;
}

type MessageContent = string | (TextContent | ImageContent)[];

export function createActionMethods(extension: Extension, options: ActionMethodOptions) {
  const actionRunner = new ActionRunner(extension, options);
  return {
    ...createMessageMethods(actionRunner),
    ...createSessionMethods(actionRunner, options),
    ...createToolMethods(options),
    ...createModelMethods(actionRunner),
  };
}

/** Starts the actions of one extension. */
class ActionRunner {
  readonly taskQueue: TaskQueue;
  readonly #extension: Extension;
  readonly #options: ActionMethodOptions;

  constructor(extension: Extension, options: ActionMethodOptions) {
    this.taskQueue = options.taskQueue;
    this.#extension = extension;
    this.#options = options;
  }

  requireScope(): ExtensionScope {
    const scope = this.#options.getScope();
    if (scope) return scope;
    throw new Fault('refused', NOT_INITIALIZED);
  }

  /** Does not wait for the result. A rejection is reported as a failure of the extension. */
  runInBackground(event: string, start: (session: AgentSession) => Promise<unknown>): void {
    const { session, report } = this.requireScope();
    start(session).catch((thrown: unknown) => report(this.#extension, event, thrown));
  }

  /** As runInBackground, but after all earlier tasks of the queue. */
  enqueue(event: string, work: (session: AgentSession) => Promise<unknown>): void {
    this.runInBackground(event, (session) => this.taskQueue.enqueue(() => work(session)));
  }
}

function createMessageMethods(actionRunner: ActionRunner) {
  const { taskQueue } = actionRunner;
  return {
    sendMessage(
      message: Omit<CustomMessage, 'role' | 'timestamp' | 'display'> & { display?: boolean },
      options?: CustomMessageOptions,
    ) {
      const { ports } = actionRunner.requireScope();
      const customMessage = createCustomMessage(message, ports.clock.now());
      actionRunner.runInBackground('sendMessage', ({ runs }) =>
        options?.triggerTurn
          ? taskQueue.startInOrder((accepted) =>
              runs.sendCustomMessage(customMessage, { ...options, onAccepted: accepted }),
            )
          : taskQueue.enqueue(() => runs.sendCustomMessage(customMessage, options)),
      );
    },
    sendUserMessage(content: MessageContent, options: { deliverAs?: 'steer' | 'followUp' } = {}): void {
      const streamingBehavior = options.deliverAs;
      actionRunner.runInBackground('sendUserMessage', ({ runs }) =>
        taskQueue.startInOrder((accepted) =>
          runs.prompt({ ...splitContent(content), source: 'extension', streamingBehavior, onAccepted: accepted }),
        ),
      );
    },
  };
}

function createSessionMethods(actionRunner: ActionRunner, { getScope }: ActionMethodOptions) {
  return {
    appendEntry(customType: string, data?: unknown): void {
      actionRunner.enqueue('appendEntry', ({ entries }) =>
        entries.append({ type: 'custom', customType, ...(data === undefined ? {} : { data }) }),
      );
    },
    setSessionName(name: string): void {
      const newName = String(name).trim();
      actionRunner.requireScope().session.naming.show(newName);
      actionRunner.enqueue('setSessionName', ({ naming }) => naming.rename(newName));
    },
    getSessionName: () => actionRunner.requireScope().session.naming.name,
    /** In some pi-compatible programs a single argument names the extension. That form is ignored. */
    setLabel(...[entryId, label]: [entryId: string, label?: string | undefined] | [string]): void {
      if (getScope()?.sessionLog.getEntry(entryId))
        actionRunner.enqueue('setLabel', ({ entries }) => entries.setLabel(entryId, label));
    },
    async exec(command: string, args: readonly string[] = [], options: ExecOptions = {}): Promise<ExecResult> {
      const { ports, session } = actionRunner.requireScope();
      return exec(ports, command, args, { ...options, cwd: options.cwd ?? session.cwd });
    },
  };
}

function createToolMethods(options: ActionMethodOptions) {
  return {
    getActiveTools: () => [...options.tools().active],
    getAllTools: () => [...options.tools().all],
    setActiveTools: (names: readonly string[]) => options.setActiveTools(names),
    getCommands: () => options.commands().map((command) => ({ ...command, sourceInfo: createSourceInfo(command) })),
  };
}

function createModelMethods(actionRunner: ActionRunner) {
  return {
    async setModel(model: Pick<Model, 'provider' | 'id'>): Promise<boolean> {
      const { session } = actionRunner.requireScope();
      const selection = session.models.select(model.provider, model.id).then(
        () => true,
        () => false,
      );
      return actionRunner.taskQueue.track(selection);
    },
    getThinkingLevel: () => actionRunner.requireScope().session.models.thinkingLevel,
    setThinkingLevel: (level: ThinkingLevel) =>
      actionRunner.enqueue('setThinkingLevel', ({ models }) => models.setThinkingLevel(level)),
  };
}

function createCustomMessage(
  message: { customType: string; content: CustomMessage['content']; display?: boolean; details?: unknown },
  timestamp: number,
): CustomMessage {
  const { customType, content, display = true, details } = message;
  return { role: 'custom', customType, content, display, ...(details === undefined ? {} : { details }), timestamp };
}

function splitContent(content: MessageContent): { message: string; images?: ImageContent[] } {
  if (typeof content === 'string') return { message: content };
  const texts = content.filter((block): block is TextContent => block.type === 'text').map(({ text }) => text);
  return {
    message: texts.join('\n'),
    images: content.filter((block): block is ImageContent => block.type === 'image'),
  };
}
