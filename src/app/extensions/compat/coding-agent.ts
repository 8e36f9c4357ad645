// The hall: what extensions import from the agent itself. What needs a terminal is there and does nothing.
import { parseFrontmatter } from '../../../base/frontmatter.ts';
import { isRecord } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import { estimateTokens } from '../../../core/compaction/tokens.ts';
import { toModelMessages } from '../../../core/context/to-model.ts';
import { createEventBus } from '../../../core/extension/index.ts';
import { sessionContext } from '../../../core/extension/log-reading.ts';
import { plainTheme } from '../../../core/extension/theme.ts';
import {
  type AgentMessage,
  SESSION_VERSION,
  type SessionEntry,
  textOf,
  totalTokens,
  type Usage,
} from '../../../protocol/index.ts';
import { inTurn } from '../../../tools/path-queue.ts';
import { defaultSettings } from '../../settings-table.ts';
import { version } from '../../version.ts';
import { toolFactories } from './builtin-tools.ts';
import { type ConfigurationSurroundings, configuration } from './configuration.ts';
import { refusals } from './refused.ts';
import { parseEntries, sessionManagerClass } from './session-manager.ts';
import { agentComponents, terminal } from './terminal.ts';
import { truncation } from './truncate.ts';

const asItIs = (text: unknown): string => String(text);

export interface Surroundings extends ConfigurationSurroundings {
  agentDirectory: string;
  ports: Ports;
}

export function codingAgent(surroundings: Surroundings): Record<string, unknown> {
  const { agentDirectory, ports } = surroundings;
  return {
    ...refused,
    ...truncation,
    ...agentComponents,
    ...drawing,
    ...guards(),
    ...logs,
    ...counting,
    ...toolFactories(ports),
    ...configuration(surroundings),
    SessionManager: sessionManagerClass(surroundings),
    VERSION: version(),
    CONFIG_DIR_NAME: '.parley',
    getAgentDir: () => agentDirectory,
    getShellConfig: (shell?: string) => ({ shell: shell ?? 'bash', args: ['-c'] }),
    defineTool: (tool: unknown) => tool,
    createEventBus: () =>
      createEventBus((channel, thrown) => ports.log('listener failed', { channel, error: String(thrown) })),
    /** The same queue that the built-in tools stand in. */
    withFileMutationQueue: async (path: string, act: () => Promise<unknown>) =>
      inTurn(ports.files, await ports.files.resolve(path), act),
    parseFrontmatter(text: string) {
      const { fields, body } = parseFrontmatter(text);
      return { frontmatter: fields, body };
    },
    stripFrontmatter: (text: string) => parseFrontmatter(text).body,
  };
}

const drawing = {
  ...terminalWords(),
  theme: plainTheme,
  Theme: terminal.Text,
  initTheme: () => {},
  keyHint: (_key: unknown, text: unknown) => asItIs(text ?? ''),
  appKeyHint: (_keys: unknown, _key: unknown, text: unknown) => asItIs(text ?? ''),
  keyText: asItIs,
  rawKeyHint: (_key: unknown, text: unknown) => asItIs(text ?? ''),
  editorKey: asItIs,
  appKey: (_keys: unknown, key: unknown) => asItIs(key),
  getMarkdownTheme: () => new Proxy({}, { get: () => asItIs }),
  getSelectListTheme: () => new Proxy({}, { get: () => asItIs }),
  getSettingsListTheme: () => new Proxy({}, { get: () => asItIs }),
  highlightCode: (code: string) => String(code).split('\n'),
  getLanguageFromPath: (path: string) => /\.(\w+)$/.exec(path)?.[1],
  renderDiff: asItIs,
};

function terminalWords() {
  return {
    truncateToVisualLines(text: string, most: number, width: number) {
      const lines = terminal.wrapTextWithAnsi(text, width);
      return { visualLines: lines.slice(-most), skippedCount: Math.max(0, lines.length - most) };
    },
  };
}

/** Which tool a `tool_call` or `tool_result` event is about. */
function guards(): Record<string, unknown> {
  const names = ['Bash', 'Read', 'Edit', 'Write', 'Grep', 'Find', 'Ls'];
  const is = (toolName: string) => (event: unknown) => isRecord(event) && event.toolName === toolName;
  return {
    isToolCallEventType: (toolName: string, event: unknown) => is(toolName)(event),
    ...Object.fromEntries(names.map((name) => [`is${name}ToolResult`, is(name.toLowerCase())])),
  };
}

const logs = {
  CURRENT_SESSION_VERSION: SESSION_VERSION,
  buildSessionContext: sessionContext,
  parseSessionEntries: parseEntries,
  getLatestCompactionEntry: (entries: readonly SessionEntry[]) =>
    entries.findLast((entry) => entry.type === 'compaction') ?? null,
  convertToLlm: toModelMessages,
  serializeConversation,
};

function serializeConversation(messages: readonly AgentMessage[]): string {
  const lines = messages.map((message) => {
    const content = 'content' in message ? textOf(message.content) : 'summary' in message ? message.summary : '';
    return `[${message.role}]: ${content}`;
  });
  return lines.join('\n\n');
}

const counting = {
  estimateTokens,
  calculateContextTokens: (usage: Usage) => totalTokens(usage),
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

const SUMMARIES = 'Ask a model with complete() of pi-ai, or call ctx.compact().';
const SESSIONS = 'Use the task tool, or embed Parley in a program of your own.';
const RESOURCES = 'Return paths from the resources_discover event.';

const refused = refusals('pi-coding-agent', {
  [SUMMARIES]: [
    'compact',
    'generateSummary',
    'generateBranchSummary',
    'collectEntriesForBranchSummary',
    'prepareBranchEntries',
    'findCutPoint',
    'findTurnStartIndex',
  ],
  [SESSIONS]: [
    'createAgentSession',
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
  [RESOURCES]: [
    'DefaultResourceLoader',
    'DefaultPackageManager',
    'discoverContextFiles',
    'discoverPromptTemplates',
    'discoverSkills',
    'formatSkillsForPrompt',
    'loadSkills',
    'loadSkillsFromDir',
    'loadProjectContextFiles',
  ],
  'There is no screen here; use ctx.ui.': ['copyToClipboard'],
});
