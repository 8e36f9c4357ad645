// The hall: the tools that an agent has, by name and by setting. Loaded with the first prompt.
import { Fault } from '../base/index.ts';
import type { HostUi, Tool } from '../contracts/index.ts';
import { builtinTools } from '../tools/index.ts';
import type { SettingValues } from './settings-table.ts';

export interface Shelf {
  /** Only these; all of them when absent. */
  toolNames: readonly string[] | undefined;
  /** The one that starts subagents. */
  task(): Promise<Tool>;
  /** Which of the others are there without being asked for by name. */
  settings: Pick<SettingValues, 'todo.enabled' | 'tasks.enabled' | 'ask.enabled' | 'ui.timeout'>;
  host(): HostUi | undefined;
}

/** Those of our own. Some are there only when a setting says so, or somebody names them. */
export async function ownTools({ toolNames, task, settings, host }: Shelf): Promise<readonly Tool[]> {
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

/** Of those with the same name the last counts, in the place of the first. */
export function chosenTools(
  lists: readonly (readonly Tool[])[],
  toolNames: readonly string[] | undefined,
  strict: boolean,
): readonly Tool[] {
  const known = new Map(lists.flat().map((tool) => [tool.name, tool]));
  if (!toolNames) return [...known.values()];
  return toolNames.flatMap((name) => {
    const tool = known.get(name);
    if (tool) return [tool];
    // An extension that was to bring it may be broken, which is said elsewhere.
    if (!strict) return [];
    throw new Fault('config', `Unknown tool: ${name}. Available: ${[...known.keys()].join(', ')}`);
  });
}
