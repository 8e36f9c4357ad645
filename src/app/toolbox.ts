// The hall: the tools of one agent, loaded when the first prompt needs them: a host that only asks for the state never pays.
import { Fault } from '../base/index.ts';
import type { Ports, RunShell, Tool } from '../contracts/index.ts';

export interface ToolboxOptions {
  ports: Ports;
  shellPath: string | undefined;
  /** Only these; all of them when absent. */
  toolNames: readonly string[] | undefined;
  /** Beside the built-in ones. One with the same name takes the built-in's place. */
  added: readonly Tool[];
  /** The one that starts subagents. */
  task(): Promise<Tool>;
}

export interface Toolbox {
  tools(): Promise<readonly Tool[]>;
  runShell: RunShell;
}

export async function createToolbox(options: ToolboxOptions): Promise<Toolbox> {
  let chosen: Promise<readonly Tool[]> | undefined;
  let shell: Promise<RunShell> | undefined;
  const tools = () => {
    chosen ??= load(options);
    return chosen;
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

async function load(options: ToolboxOptions): Promise<readonly Tool[]> {
  const { toolNames } = options;
  const wantsTask = !toolNames || toolNames.includes('task');
  const [{ builtinTools }, ...task] = await Promise.all([
    import('../tools/index.ts'),
    ...(wantsTask ? [options.task()] : []),
  ]);
  return choose([...builtinTools, ...task], options);
}

function choose(builtin: readonly Tool[], { added, toolNames }: ToolboxOptions): readonly Tool[] {
  const replaced = new Set(added.map((tool) => tool.name));
  const all = [...builtin.filter((tool) => !replaced.has(tool.name)), ...added];
  if (!toolNames) return all;
  const known = new Map(all.map((tool) => [tool.name, tool]));
  return toolNames.map((name) => {
    const tool = known.get(name);
    if (tool) return tool;
    throw new Fault('config', `Unknown tool: ${name}. Available: ${[...known.keys()].join(', ')}`);
  });
}
