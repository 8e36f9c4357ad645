// The hall: the tools of one agent, loaded when the first prompt needs them: a host that only asks for the state never pays.
import { Fault } from '../base/index.ts';
import type { Ports, RunShell, Tool } from '../contracts/index.ts';
import type { ExtensionFront } from './extensions/front.ts';

export interface ToolboxOptions {
  ports: Ports;
  shellPath: string | undefined;
  /** Only these; all of them when absent. */
  toolNames: readonly string[] | undefined;
  /** Beside the built-in ones. One with the same name takes the built-in's place. */
  added: readonly Tool[];
  /** Whether the model keeps a list of things to do without being asked for by name. */
  keepsTodos: boolean;
  /** The one that starts subagents. */
  task(): Promise<Tool>;
  /** What extensions add comes after all others, so that it may take any name. */
  extensions: Pick<ExtensionFront, 'tools' | 'loaded' | 'isEmpty'>;
}

export interface Toolbox {
  tools(): Promise<readonly Tool[]>;
  runShell: RunShell;
}

export async function createToolbox(options: ToolboxOptions): Promise<Toolbox> {
  let shell: Promise<RunShell> | undefined;
  let own: Promise<readonly Tool[]> | undefined;
  const { extensions, added, toolNames } = options;
  // Ours are loaded once; extensions may come and go.
  const tools = async () => {
    own ??= load(options);
    return choose([await own, added, await extensions.tools()], toolNames, extensions.isEmpty);
  };
  // A name that does not exist is the user's mistake; it must be said at the start, not at the first prompt.
  if (options.toolNames && options.toolNames.length > 0) await tools();
  return {
    tools,
    async runShell(request) {
      shell ??= import('../tools/index.ts').then(({ createRunShell }) => createRunShell(options));
      return (await shell)(request);
    },
  };
}

async function load({ toolNames, task, keepsTodos }: ToolboxOptions): Promise<readonly Tool[]> {
  const wantsTask = !toolNames || toolNames.includes('task');
  const wantsTodos = toolNames ? toolNames.includes('todo_write') : keepsTodos;
  const [{ builtinTools }, ...rest] = await Promise.all([
    import('../tools/index.ts'),
    ...(wantsTask ? [task()] : []),
    ...(wantsTodos ? [import('../tools/todo-write.ts').then(({ todoWrite }): Tool => todoWrite)] : []),
  ]);
  return [...builtinTools, ...rest];
}

/** Of those with the same name the last counts, in the place of the first. */
function choose(
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
