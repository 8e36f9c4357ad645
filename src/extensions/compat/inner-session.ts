// `createAgentSession` of pi: a second agent inside an extension, with the methods of pi's AgentSession.
import { Fault } from '../../base/index.ts';
import type {
  AgentSession,
  Clock,
  CustomMessageOptions,
  ExtensionTool,
  ModelRegistry,
  OpenInnerSession,
  TestPatterns,
} from '../../contracts/index.ts';
import { createExtensionTool, ModelRegistryView, SessionLogView } from '../../core/extension/index.ts';
import type { CustomMessage, ImageContent, Model, ThinkingLevel } from '../../protocol/index.ts';
import type { PiResourceLoader } from './resource-loader.ts';

export interface InnerSessionOptions {
  models: ModelRegistry;
  ports: { clock: Clock; testPatterns: TestPatterns };
  openInnerSession?: OpenInnerSession | undefined;
}

/** The options of pi that have an effect. */
interface CreateOptions {
  cwd?: string;
  model?: Model;
  thinkingLevel?: ThinkingLevel;
  /** Names; older versions of pi take the tools themselves. */
  tools?: readonly (string | ExtensionTool)[];
  noTools?: 'all' | 'builtin';
  excludeTools?: readonly string[];
  customTools?: readonly ExtensionTool[];
  systemPrompt?: string;
  resourceLoader?: Omit<PiResourceLoader, 'reload'>;
}

export function createInnerSessionFunctions({ models, ports, openInnerSession }: InnerSessionOptions) {
  const toTool = (tool: ExtensionTool) => createExtensionTool(tool, () => undefined, ports.testPatterns);
  return {
    async createAgentSession(options: CreateOptions = {}) {
      if (!openInnerSession) throw new Fault('refused', 'This program cannot open a session for an extension');
      const { tools, customTools = [], noTools, resourceLoader: loader } = options;
      const names = tools?.map((tool) => (typeof tool === 'string' ? tool : tool.name));
      const customNames = customTools.map(({ name }) => name);
      const append = loader?.getAppendSystemPrompt().join('\n\n');
      const session = await openInnerSession({
        cwd: options.cwd,
        model: options.model,
        thinkingLevel: options.thinkingLevel,
        ...(names ? { toolNames: [...names, ...customNames] } : {}),
        ...(noTools === 'all' ? { toolNames: [] } : {}),
        ...(noTools === 'builtin' ? { noBuiltinTools: true } : {}),
        excludedTools: options.excludeTools ? [...options.excludeTools] : undefined,
        tools: [...customTools, ...(tools ?? []).filter((tool) => typeof tool !== 'string')].map(toTool),
        systemPrompt: options.systemPrompt ?? loader?.getSystemPrompt(),
        appendSystemPrompt: append || undefined,
        ...(loader
          ? {
              noSkills: true,
              skillPaths: loader.getSkills().skills.map(({ filePath }) => filePath),
              noTemplates: true,
              templatePaths: loader.getPrompts().prompts.map(({ filePath }) => filePath),
              noContextFiles: loader.getAgentsFiles().agentsFiles.length === 0,
            }
          : {}),
      });
      const modelRegistry = new ModelRegistryView(models, ports.clock);
      const sessionManager = new SessionLogView(session);
      await Promise.all([modelRegistry.refresh(), sessionManager.refresh()]);
      const extensionsResult = loader?.getExtensions() ?? { extensions: [], errors: [], runtime: {} };
      return { session: createSessionView(session, { modelRegistry, sessionManager }, ports.clock), extensionsResult };
    },
  };
}

interface Views {
  modelRegistry: ModelRegistryView;
  sessionManager: SessionLogView;
}

function createSessionView(session: AgentSession, views: Views, clock: Clock) {
  const view = {
    ...views,
    ...createRunMethods(session, clock),
    ...createControlMethods(session),
    // pi has no `session_settled`; the last event is `agent_settled`.
    subscribe: (listener: Parameters<AgentSession['subscribe']>[0]) =>
      session.subscribe((event) => (event.type === 'session_settled' ? undefined : listener(event))),
    dispose: () => void session.close().catch(() => {}),
    bindExtensions: async () => {},
    reload: async () => {},
  };
  const state = defineGetters(
    {},
    {
      messages: () => [...session.history.messages()],
      model: () => session.models.current ?? undefined,
      thinkingLevel: () => session.models.thinkingLevel,
      systemPrompt: () => session.context.systemPrompt,
      isStreaming: () => session.runs.isRunning,
    },
  );
  const { abort, waitForIdle, subscribe } = view;
  return defineGetters(Object.assign(view, { state, agent: { state, abort, waitForIdle, subscribe } }), {
    messages: () => [...session.history.messages()],
    model: () => session.models.current ?? undefined,
    thinkingLevel: () => session.models.thinkingLevel,
    systemPrompt: () => session.context.systemPrompt,
    isStreaming: () => session.runs.isRunning,
    isIdle: () => session.runs.isSettled,
    isCompacting: () => session.compaction.isRunning,
    sessionId: () => session.id,
    sessionFile: () => session.file,
    sessionName: () => session.naming.name,
    pendingMessageCount: () => session.queues.count,
  });
}

function defineGetters<T extends object>(target: T, getters: Readonly<Record<string, () => unknown>>): T {
  for (const [name, get] of Object.entries(getters)) Object.defineProperty(target, name, { get, enumerable: true });
  return target;
}

interface PromptOptions {
  images?: ImageContent[];
  streamingBehavior?: 'steer' | 'followUp';
}

function createRunMethods({ runs, queues }: AgentSession, clock: Clock) {
  const prompt = async (message: string, { images, streamingBehavior }: PromptOptions = {}): Promise<void> => {
    await runs.prompt({ message, images, streamingBehavior, onAccepted: () => {} });
    if (streamingBehavior === undefined) await runs.waitUntilSettled();
  };
  return {
    prompt,
    sendUserMessage: (content: string, { deliverAs }: { deliverAs?: 'steer' | 'followUp' } = {}) =>
      prompt(content, deliverAs ? { streamingBehavior: deliverAs } : {}),
    sendCustomMessage: (message: Omit<CustomMessage, 'role' | 'timestamp'>, options?: CustomMessageOptions) =>
      runs.sendCustomMessage({ role: 'custom', ...message, timestamp: clock.now() }, options),
    steer: (message: string, images?: ImageContent[]) => runs.steer({ message, images }),
    followUp: (message: string, images?: ImageContent[]) => runs.followUp({ message, images }),
    clearQueue: () => queues.clear(),
    abort: () => runs.abort(),
    waitForIdle: () => runs.waitUntilSettled(),
  };
}

function createControlMethods(session: AgentSession) {
  const { models, compaction, history, tools, context, naming, shell } = session;
  return {
    setModel: async ({ provider, id }: Pick<Model, 'provider' | 'id'>) => void (await models.select(provider, id)),
    setThinkingLevel: (level: ThinkingLevel) => void models.setThinkingLevel(level).catch(() => {}),
    getAvailableThinkingLevels: () => [...models.thinkingLevels],
    setActiveToolsByName: (names: readonly string[]) => tools.select(names),
    compact: (customInstructions?: string) => compaction.compact(customInstructions),
    abortCompaction: () => void compaction.abort(),
    setAutoCompactionEnabled(isEnabled: boolean) {
      compaction.isAutomatic = isEnabled;
    },
    getSessionStats: () => history.stats(),
    getContextUsage: () => context.usage(),
    getLastAssistantText: () => history.lastAssistantText() ?? undefined,
    setSessionName(name: string) {
      naming.show(name);
      naming.rename(name).catch(() => {});
    },
    executeBash: (command: string) => shell.run(command),
    abortBash: () => shell.abort(),
    navigateTree: (targetId: string, options?: Parameters<typeof history.moveTo>[1]) =>
      history.moveTo(targetId, options),
    exportToHtml: async (path?: string) => (await history.exportHtml(path)).path,
  };
}
