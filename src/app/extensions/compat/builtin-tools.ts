// The hall: the built-in tools as extensions import them, to do something around them or to have them work elsewhere.
import { isAbsolute, relative, resolve } from 'node:path';
import type { Ports, Tool, ToolResult } from '../../../contracts/index.ts';
import { offerOf } from '../../../core/context/offers.ts';
import { builtinTools } from '../../../tools/index.ts';
import { type Elsewhere, type Operations, portsThrough } from './operations.ts';

const READ_ONLY = ['read', 'grep', 'find', 'ls'];
const CODING = ['read', 'bash', 'edit', 'write'];

type Options = Readonly<Record<string, Elsewhere | undefined>>;

/** `createReadTool(cwd, { operations })`, `readTool`, `createCodingTools(cwd)` and the like. */
export function toolFactories(ports: Ports): Record<string, unknown> {
  const makers = new Map(builtinTools.map((tool) => [tool.name, makerOf(tool, ports)] as const));
  const all = (cwd: string, names: readonly string[], options: Options = {}) =>
    names.flatMap((name) => makers.get(name)?.(cwd, options[name]) ?? []);
  const names = [...makers.keys()];
  const named = [...makers].flatMap(([name, make]) => {
    const Name = `${name[0]?.toUpperCase()}${name.slice(1)}Tool`;
    return [
      [`create${Name}`, make],
      [`create${Name}Definition`, make],
      [`${name}Tool`, make(process.cwd())],
    ];
  });
  return {
    ...Object.fromEntries(named),
    createCodingTools: (cwd: string, options?: Options) => all(cwd, CODING, options),
    createReadOnlyTools: (cwd: string, options?: Options) => all(cwd, READ_ONLY, options),
    createAllTools: (cwd: string, options?: Options) =>
      Object.fromEntries(all(cwd, names, options).map((tool) => [tool.name, tool])),
    codingTools: all(process.cwd(), CODING),
    readOnlyTools: all(process.cwd(), READ_ONLY),
    createLocalBashOperations: () => ({ exec: localExec(ports) }),
  };
}

function makerOf(tool: Tool, ports: Ports) {
  return (cwd: string, elsewhere: Elsewhere = {}) => ({
    ...offerOf(tool),
    label: tool.name,
    async execute(toolCallId: string, params: unknown, signal?: AbortSignal, onUpdate?: (partial: ToolResult) => void) {
      const { glob } = elsewhere.operations ?? {};
      if (glob) return foundElsewhere(elsewhere.operations ?? {}, cwd, params as Sought);
      return tool.run(params, {
        toolCallId,
        cwd,
        ports: portsThrough(ports, elsewhere),
        signal: signal ?? new AbortController().signal,
        update: (partial) => onUpdate?.(partial),
        artifacts: { reserve: () => reserve(ports, tool.name), find: async () => undefined },
        options: { shellPath: undefined, bashTimeout: undefined },
      });
    },
  });
}

interface Sought {
  pattern: string;
  path?: string;
  limit?: number;
}

const NEVER_SOUGHT = ['**/node_modules/**', '**/.git/**'];
const MOST_FOUND = 1000;

async function foundElsewhere(operations: Operations, cwd: string, sought: Sought): Promise<ToolResult> {
  const { pattern, path = '.', limit = MOST_FOUND } = sought;
  const folder = resolve(cwd, path);
  if (operations.exists && !(await operations.exists(folder))) throw new Error(`Path not found: ${folder}`);
  const found = (await operations.glob?.(pattern, folder, { ignore: NEVER_SOUGHT, limit })) ?? [];
  const names = found.slice(0, limit).map((file) => (isAbsolute(file) ? relative(folder, file) : file));
  return { content: [{ type: 'text', text: names.join('\n') || 'No files found matching pattern' }] };
}

/** What the operations of an extension fall back on. */
function localExec(ports: Ports): NonNullable<Operations['exec']> {
  return async (command, cwd, { onData, signal, env = ports.toolEnv }) => {
    const child = await ports.processes.spawn({
      command: 'sh',
      args: ['-c', command],
      cwd,
      env,
      // Whatever it gives back is no promise to wait for.
      onOutput: (chunk) => void onData(Buffer.from(chunk)),
    });
    const kill = () => child.kill();
    if (signal?.aborted) kill();
    signal?.addEventListener('abort', kill, { once: true });
    const { code } = await child.finished;
    signal?.removeEventListener('abort', kill);
    return { exitCode: code };
  };
}

async function reserve({ files, ids }: Ports, name: string): Promise<{ id: string; path: string }> {
  const id = ids.entry();
  return { id, path: `${await files.temporaryDirectory('parley-extension-')}/${id}.${name}.log` };
}
