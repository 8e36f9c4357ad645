// The hall: the tools that an agent has, by name and by setting. Loaded with the first prompt.
import { Fault, nearest } from '../base/index.ts';
import type { HostUi, Tool } from '../contracts/index.ts';
import { builtinTools } from '../tools/index.ts';
import type { SettingValues } from './settings-table.ts';

export interface Shelf {
  /** Only these; all of them when absent. */
  toolNames: readonly string[] | undefined;
  /** Never these. */
  excludedTools?: readonly string[] | undefined;
  /** None of our own. */
  noBuiltinTools?: boolean | undefined;
  /** The one that starts subagents. */
  task(): Promise<Tool>;
  /** Which of the others are there without being asked for by name. */
  settings: Pick<SettingValues, 'todo.enabled' | 'tasks.enabled' | 'ask.enabled' | 'ui.timeout'>;
  host(): HostUi | undefined;
}

/** Those of our own. Some are there only when a setting says so, or somebody names them. */
export async function ownTools({ toolNames, noBuiltinTools, task, settings, host }: Shelf): Promise<readonly Tool[]> {
  if (noBuiltinTools) return [];
  const more: readonly (readonly [name: string, enabled: boolean, load: () => Promise<Tool>])[] = [
    ['task', true, task],
    ['todo_write', settings['todo.enabled'], async () => (await import('../tools/todo-write.ts')).todoWrite],
    ['tasks', settings['tasks.enabled'], async () => (await import('../tools/tasks.ts')).tasks],
    [
      'ask',
      settings['ask.enabled'],
      async () => (await import('../tools/ask.ts')).createAskTool({ host, timeout: settings['ui.timeout'] }),
    ],
  ];
  const wanted = more.filter(([name, enabled]) => (toolNames ? toolNames.includes(name) : enabled));
  return [...builtinTools, ...(await Promise.all(wanted.map(([, , load]) => load())))];
}

/** Built-in tools that are there only when a setting or `--tools` asks for them. */
const OPTIONAL = ['task', 'todo_write', 'tasks', 'ask'];
/** Built-in tools of pi that have no counterpart here: excluding them excludes nothing. */
const ELSEWHERE = ['powershell', 'codemode'];

/** Throws a Fault for a name that no tool has: a misspelled one would leave the tool in place that is meant. */
export function checkExcluded(names: readonly string[], lists: readonly (readonly Tool[])[]): void {
  const all = [...new Set([...[...builtinTools, ...lists.flat()].map(({ name }) => name), ...OPTIONAL])];
  const odd = names.find((name) => !all.includes(name) && !ELSEWHERE.includes(name));
  if (odd === undefined) return;
  const meant = nearest(odd, all);
  const slip = meant ? ` (did you mean ${meant}?)` : '';
  throw new Fault('config', `Unknown tool in --exclude-tools: ${odd}${slip}. Available: ${all.join(', ')}`);
}

/** Of those with the same name the last counts, in the place of the first. */
export function chosenTools(
  lists: readonly (readonly Tool[])[],
  { toolNames, noBuiltinTools }: Pick<Shelf, 'toolNames' | 'noBuiltinTools'>,
  strict: boolean,
): readonly Tool[] {
  const known = new Map(lists.flat().map((tool) => [tool.name, tool]));
  if (!toolNames) return [...known.values()];
  return toolNames.flatMap((name) => {
    const tool = known.get(name);
    if (tool) return [tool];
    if (noBuiltinTools && builtinTools.some((own) => own.name === name)) {
      throw new Fault('config', `--tools names ${name}, a built-in tool, and --no-builtin-tools removes those.`);
    }
    // An extension that was to bring it may be broken, which is said elsewhere.
    if (!strict) return [];
    throw new Fault('config', `Unknown tool: ${name}. Available: ${[...known.keys()].join(', ')}`);
  });
}
