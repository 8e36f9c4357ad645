// The hall: what extensions import from the agent itself. What needs a terminal is there and does nothing.
import { isRecord } from '../../../base/index.ts';
import type { Ports, Tool, ToolResult } from '../../../contracts/index.ts';
import { offerOf } from '../../../core/context/offers.ts';
import { createEventBus } from '../../../core/extension/index.ts';
import { type AgentMessage, textOf } from '../../../protocol/index.ts';
import { builtinTools as ownTools } from '../../../tools/index.ts';
import { version } from '../../version.ts';
import { components } from './terminal.ts';
import { truncation } from './truncate.ts';

const asItIs = (text: unknown): string => String(text);

interface Surroundings {
  agentDirectory: string;
  ports: Ports;
}

export function codingAgent({ agentDirectory, ports }: Surroundings): Record<string, unknown> {
  return {
    ...truncation,
    ...components,
    ...guards(),
    VERSION: version(),
    CONFIG_DIR_NAME: '.parley',
    getAgentDir: () => agentDirectory,
    defineTool: (tool: unknown) => tool,
    createEventBus: () =>
      createEventBus((channel, thrown) => ports.log('listener failed', { channel, error: String(thrown) })),
    withFileMutationQueue: (_path: string, act: () => unknown) => act(),
    keyHint: (_key: unknown, text: unknown) => asItIs(text ?? ''),
    keyText: asItIs,
    rawKeyHint: (_key: unknown, text: unknown) => asItIs(text ?? ''),
    getMarkdownTheme: () => new Proxy({}, { get: () => asItIs }),
    getSelectListTheme: () => new Proxy({}, { get: () => asItIs }),
    getSettingsListTheme: () => new Proxy({}, { get: () => asItIs }),
    highlightCode: (code: string) => String(code).split('\n'),
    getLanguageFromPath: (path: string) => /\.(\w+)$/.exec(path)?.[1],
    convertToLlm: (messages: readonly AgentMessage[]) => messages.flatMap(spoken),
    serializeConversation,
    ...frontmatter,
    ...builtinTools(ports),
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

function spoken(message: AgentMessage): AgentMessage[] {
  if (message.role === 'custom') return [{ role: 'user', content: message.content, timestamp: message.timestamp }];
  return message.role === 'user' || message.role === 'assistant' || message.role === 'toolResult' ? [message] : [];
}

function serializeConversation(messages: readonly AgentMessage[]): string {
  const lines = messages.map((message) => {
    const content = 'content' in message ? textOf(message.content) : 'summary' in message ? message.summary : '';
    return `[${message.role}]: ${content}`;
  });
  return lines.join('\n\n');
}

const FENCE = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/;

/** Lines of `key: value` only, which is what skills and agents use. */
const frontmatter = {
  parseFrontmatter(text: string) {
    const head = FENCE.exec(text);
    const pairs = (head?.[1] ?? '').split('\n').flatMap((line) => {
      const [, key, value = ''] = /^([\w-]+):\s*(.*)$/.exec(line.trim()) ?? [];
      return key ? [[key, value.replace(/^(["'])(.*)\1$/, '$2')]] : [];
    });
    return { frontmatter: Object.fromEntries(pairs), body: text.slice(head?.[0].length ?? 0) };
  },
  stripFrontmatter: (text: string) => text.replace(FENCE, ''),
};

/** `createReadTool(cwd)` and the like: the built-in tools, for extensions that do something around them. */
function builtinTools(ports: Ports): Record<string, unknown> {
  const make = (tool: Tool) => (cwd: string) => ({
    ...offerOf(tool),
    label: tool.name,
    async execute(toolCallId: string, params: unknown, signal?: AbortSignal, onUpdate?: (partial: ToolResult) => void) {
      return tool.run(params, {
        toolCallId,
        cwd,
        ports,
        signal: signal ?? new AbortController().signal,
        update: (partial) => onUpdate?.(partial),
        artifacts: { reserve: () => reserve(ports, tool.name), find: async () => undefined },
        options: { shellPath: undefined, bashTimeout: undefined },
      });
    },
  });
  return Object.fromEntries(
    ownTools.map((tool) => [`create${tool.name[0]?.toUpperCase()}${tool.name.slice(1)}Tool`, make(tool)]),
  );
}

async function reserve({ files, ids }: Ports, name: string): Promise<{ id: string; path: string }> {
  const id = ids.entry();
  return { id, path: `${await files.temporaryDirectory('parley-extension-')}/${id}.${name}.log` };
}
