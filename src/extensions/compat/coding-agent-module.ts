// Replaces the package pi-coding-agent for extensions. Exports that need a terminal exist and do nothing.

import { isRecord } from '../../base/index.ts';
import type { Ports, ProcessIdentity, SessionIndex } from '../../contracts/index.ts';
import { estimateTokens } from '../../core/compaction/tokens.ts';
import { toModelMessages } from '../../core/context/to-model-messages.ts';
import { buildSessionContext, createEventBus, entryToMessages, plainTheme } from '../../core/extension/index.ts';
import {
  type AgentMessage,
  extractText,
  SESSION_VERSION,
  type SessionEntry,
  sumTokens,
  type Usage,
} from '../../protocol/index.ts';
import { defaultSettings } from '../../settings/index.ts';
import { splitFrontmatter } from '../../support/frontmatter.ts';
import { version } from '../../support/version.ts';
import { parseYamlFields } from '../../support/yaml-fields.ts';
import { withFileMutationQueue } from '../../tools/file-mutation-queue.ts';
import { createAgentHelpers } from './agent-helpers.ts';
import { type ConfigurationOptions, createConfigurationClasses } from './configuration-classes.ts';
import { createInnerSessionFunctions, type InnerSessionOptions } from './inner-session.ts';
import { createResourceLoaderClass, type ResourceLoaderOptions } from './resource-loader.ts';
import { createSessionManagerClass, parseEntries } from './session-manager.ts';
import { createToolFactories } from './tool-factories.ts';
import { truncation } from './truncation.ts';
import { agentComponents, tuiModule } from './tui-module.ts';
import type { UnsupportedNames } from './unsupported-exports.ts';

const toText = (text: unknown): string => String(text);

export interface CodingAgentModuleOptions extends ConfigurationOptions, ResourceLoaderOptions, InnerSessionOptions {
  models: ConfigurationOptions['models'];
  identity: ProcessIdentity;
  sessionIndex?: SessionIndex | undefined;
  readTextSync(path: string): string;
  agentDirectory: string;
  ports: Ports;
}

export function createCodingAgentModule(options: CodingAgentModuleOptions): Record<string, unknown> {
  const { agentDirectory, ports } = options;
  return {
    ...truncation,
    ...agentComponents,
    ...renderingStubs,
    ...createEventGuards(),
    ...sessionFunctions,
    ...tokenFunctions,
    ...createToolFactories(ports),
    ...createConfigurationClasses(options),
    ...createInnerSessionFunctions(options),
    DefaultResourceLoader: createResourceLoaderClass(options),
    ...createAgentHelpers(ports),
    SessionManager: createSessionManagerClass(options),
    VERSION: version(),
    CONFIG_DIR_NAME: '.parley',
    getAgentDir: () => agentDirectory,
    getShellConfig: (shell?: string) => ({ shell: shell ?? 'bash', args: ['-c'] }),
    defineTool: (tool: unknown) => tool,
    createEventBus: () =>
      createEventBus((channel, thrown) => ports.log('listener failed', { channel, error: String(thrown) })),
    /** Uses the same queue as the built-in tools. */
    withFileMutationQueue: createFileQueue(ports),
    parseFrontmatter(text: string) {
      const { yaml, body } = splitFrontmatter(text);
      return { frontmatter: parseYamlFields(yaml), body };
    },
    stripFrontmatter: (text: string) => splitFrontmatter(text).body,
  };
}

/** Real paths are looked up one after the other, so that changes are queued in the order of the calls. */
function createFileQueue({ files }: Pick<Ports, 'files'>) {
  let lastLookup: Promise<unknown> = Promise.resolve();
  return async (path: string, change: () => Promise<unknown>): Promise<unknown> => {
    const lookup = lastLookup.then(() => files.realPath(path));
    lastLookup = lookup.catch(() => {});
    return withFileMutationQueue(files, await lookup, change);
  };
}

const renderingStubs = {
  ...createTextFunctions(),
  theme: plainTheme,
  Theme: tuiModule.Text,
  initTheme: () => {},
  keyHint: (_key: unknown, text: unknown) => toText(text ?? ''),
  appKeyHint: (_keys: unknown, _key: unknown, text: unknown) => toText(text ?? ''),
  keyText: toText,
  rawKeyHint: (_key: unknown, text: unknown) => toText(text ?? ''),
  editorKey: toText,
  appKey: (_keys: unknown, key: unknown) => toText(key),
  getMarkdownTheme: () => new Proxy({}, { get: () => toText }),
  getSelectListTheme: () => new Proxy({}, { get: () => toText }),
  getSettingsListTheme: () => new Proxy({}, { get: () => toText }),
  highlightCode: (code: string) => String(code).split('\n'),
  getLanguageFromPath: (path: string) => /\.(\w+)$/.exec(path)?.[1],
  renderDiff: toText,
};

function createTextFunctions() {
  return {
    truncateToVisualLines(text: string, maxLines: number, width: number) {
      const lines = tuiModule.wrapTextWithAnsi(text, width);
      return { visualLines: lines.slice(-maxLines), skippedCount: Math.max(0, lines.length - maxLines) };
    },
  };
}

/** Functions that check the tool of a `tool_call` or `tool_result` event. */
function createEventGuards(): Record<string, unknown> {
  const names = ['Bash', 'Read', 'Edit', 'Write', 'Grep', 'Find', 'Ls', 'PowerShell'];
  const createGuard = (toolName: string) => (event: unknown) => isRecord(event) && event.toolName === toolName;
  return {
    isToolCallEventType: (toolName: string, event: unknown) => createGuard(toolName)(event),
    ...Object.fromEntries(names.map((name) => [`is${name}ToolResult`, createGuard(name.toLowerCase())])),
  };
}

const sessionFunctions = {
  VIRTUAL_MODEL_STATE_ENTRY: 'pi.virtual-model-state',
  sessionEntryToContextMessages: entryToMessages,
  CURRENT_SESSION_VERSION: SESSION_VERSION,
  buildSessionContext: buildSessionContext,
  parseSessionEntries: parseEntries,
  getLatestCompactionEntry: (entries: readonly SessionEntry[]) =>
    entries.findLast((entry) => entry.type === 'compaction') ?? null,
  convertToLlm: toModelMessages,
  serializeConversation,
};

function serializeConversation(messages: readonly AgentMessage[]): string {
  const lines = messages.map((message) => {
    const content = 'content' in message ? extractText(message.content) : 'summary' in message ? message.summary : '';
    return `[${message.role}]: ${content}`;
  });
  return lines.join('\n\n');
}

const tokenFunctions = {
  estimateTokens,
  calculateContextTokens: (usage: Usage) => sumTokens(usage),
  getLastAssistantUsage(entries: readonly SessionEntry[]): Usage | undefined {
    const answers = entries.flatMap((entry) =>
      entry.type === 'message' && entry.message.role === 'assistant' ? [entry.message] : [],
    );
    return answers.findLast(({ stopReason }) => stopReason !== 'aborted' && stopReason !== 'error')?.usage;
  },
  DEFAULT_COMPACTION_SETTINGS: {
    enabled: defaultSettings['compaction.enabled'],
    reserveTokens: defaultSettings['compaction.reserveTokens'],
    keepRecentTokens: defaultSettings['compaction.keepRecentTokens'],
  },
  shouldCompact: (tokens: number, window: number, settings: { enabled: boolean; reserveTokens: number }) =>
    settings.enabled && tokens > window - settings.reserveTokens,
};

const SUMMARY_ALTERNATIVE = 'Ask a model with complete() of pi-ai, or call ctx.compact().';
const SESSION_ALTERNATIVE = 'Use createAgentSession or the task tool, or embed Parley in a program of your own.';
const RESOURCE_ALTERNATIVE = 'Use DefaultResourceLoader, or return paths from the resources_discover event.';

export const UNSUPPORTED_BY_AGENT: UnsupportedNames = {
  [SUMMARY_ALTERNATIVE]: [
    'compact',
    'generateSummary',
    'generateBranchSummary',
    'collectEntriesForBranchSummary',
    'prepareBranchEntries',
    'findCutPoint',
    'findTurnStartIndex',
  ],
  [SESSION_ALTERNATIVE]: [
    'AgentSession',
    'createAgentSessionRuntime',
    'createAgentSessionServices',
    'createAgentSessionFromServices',
    'InteractiveMode',
    'runPrintMode',
    'runRpcMode',
    'RpcClient',
    'main',
    'buildSystemPrompt',
    'ExtensionRunner',
    'createExtensionRuntime',
    'discoverAndLoadExtensions',
    'discoverExtensions',
    'loadExtensions',
    'wrapRegisteredTool',
    'wrapRegisteredTools',
    'wrapToolWithExtensions',
    'wrapToolsWithExtensions',
    'migrateSessionEntries',
  ],
  [RESOURCE_ALTERNATIVE]: [
    'DefaultPackageManager',
    'discoverContextFiles',
    'discoverPromptTemplates',
    'discoverSkills',
    'loadSkills',
    'loadSkillsFromDir',
    'loadProjectContextFiles',
  ],
  'There is no screen here; use ctx.ui.': ['copyToClipboard'],
};
