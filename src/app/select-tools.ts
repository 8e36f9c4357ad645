// Selects the tools of an agent by name and by setting. Loaded with the first prompt.
import { Fault, findClosestMatch } from '../base/index.ts';
import type { HostUi, Tool } from '../contracts/index.ts';
import type { FlagOptions, SettingValues } from '../settings/index.ts';
import { bash, sandboxedBash } from '../tools/bash.ts';
import { builtinTools } from '../tools/index.ts';

export interface ToolSelectionOptions extends Pick<FlagOptions, 'toolNames' | 'excludedTools' | 'noBuiltinTools'> {
  /** Names in `toolNames` without a tool are left out. */
  skipsUnknownTools?: boolean | undefined;
  /** Creates the tool that starts subagents. */
  task(): Promise<Tool>;
  /** Decide which optional tools are used when `toolNames` is absent. */
  settings: Pick<SettingValues, 'todo.enabled' | 'tasks.enabled' | 'ask.enabled' | 'ui.timeout' | 'sandbox'>;
  host(): HostUi | undefined;
}

/** Optional tools are included only when a setting enables them, or when `toolNames` contains them. */
export async function loadBuiltinTools({
  toolNames,
  noBuiltinTools,
  task,
  settings,
  host,
}: ToolSelectionOptions): Promise<readonly Tool[]> {
  if (noBuiltinTools) return [];
  const optionalTools: readonly (readonly [name: string, enabled: boolean, load: () => Promise<Tool>])[] = [
    ['task', true, task],
    ['todo_write', settings['todo.enabled'], async () => (await import('../tools/todo-write.ts')).todoWrite],
    ['tasks', settings['tasks.enabled'], async () => (await import('../tools/tasks.ts')).tasks],
    [
      'ask',
      settings['ask.enabled'],
      async () => (await import('../tools/ask.ts')).createAskTool({ host, timeout: settings['ui.timeout'] }),
    ],
  ];
  const requested = optionalTools.filter(([name, enabled]) => (toolNames ? toolNames.includes(name) : enabled));
  const builtin = settings.sandbox === 'off' ? builtinTools : builtinTools.map(useSandbox);
  return [...builtin, ...(await Promise.all(requested.map(([, , load]) => load())))];
}

/** The model can ask to leave the sandbox. */
function useSandbox(tool: Tool): Tool {
  return tool === bash ? sandboxedBash : tool;
}

/** Built-in tools that are used only when a setting or `--tools` asks for them. */
const OPTIONAL_TOOLS = ['task', 'todo_write', 'tasks', 'ask'];
/** Built-in tools of pi that do not exist here. Excluding them is accepted and has no effect. */
const PI_ONLY_TOOLS = ['powershell', 'codemode'];

/** Throws a Fault for an unknown name: if a misspelled name were ignored, the intended tool would stay enabled. */
export function checkExcludedTools(names: readonly string[], lists: readonly (readonly Tool[])[]): void {
  const all = [...new Set([...[...builtinTools, ...lists.flat()].map(({ name }) => name), ...OPTIONAL_TOOLS])];
  const unknown = names.find((name) => !all.includes(name) && !PI_ONLY_TOOLS.includes(name) && !isMcpName(name));
  if (unknown === undefined) return;
  const nearestName = findClosestMatch(unknown, all);
  const suggestion = nearestName ? ` (did you mean ${nearestName}?)` : '';
  throw new Fault('config', `Unknown tool in --exclude-tools: ${unknown}${suggestion}. Available: ${all.join(', ')}`);
}

/** A tool of an MCP server, or with `mcp__server` all tools of one. It is checked when the server is connected. */
function isMcpName(name: string): boolean {
  return name.startsWith('mcp__');
}

/** Of several tools with the same name the last is used, at the position of the first. */
export function selectTools(
  lists: readonly (readonly Tool[])[],
  {
    toolNames,
    skipsUnknownTools,
    noBuiltinTools,
  }: Pick<ToolSelectionOptions, 'toolNames' | 'skipsUnknownTools' | 'noBuiltinTools'>,
  strict: boolean,
): readonly Tool[] {
  const toolsByName = new Map(lists.flat().map((tool) => [tool.name, tool]));
  if (!toolNames) return [...toolsByName.values()];
  const selected = toolNames.flatMap((name) => {
    const tool = toolsByName.get(name);
    if (tool) return [tool];
    if (isMcpName(name)) return [...toolsByName.values()].filter((other) => other.name.startsWith(`${name}__`));
    if (skipsUnknownTools) return [];
    if (noBuiltinTools && builtinTools.some((builtin) => builtin.name === name)) {
      throw new Fault(
        'config',
        `--tools includes the built-in tool ${name}, but --no-builtin-tools removes all built-in tools.`,
      );
    }
    // The tool may belong to an extension that failed to load; that failure is reported elsewhere.
    if (!strict) return [];
    throw new Fault('config', `Unknown tool: ${name}. Available: ${[...toolsByName.keys()].join(', ')}`);
  });
  return [...new Set(selected)];
}
