// Factories for built-in tools, which extensions wrap or run on another machine.
import { isAbsolute, relative, resolve } from 'node:path';
import type { Ports, Tool, ToolResult } from '../../contracts/index.ts';
import { describeTool } from '../../core/context/describe-tool.ts';
import { builtinTools } from '../../tools/index.ts';
import { createRemotePorts, type Operations, type RemoteToolOptions } from './remote-operations.ts';

const READ_ONLY_TOOLS = ['read', 'grep', 'find', 'ls'];
const CODING_TOOLS = ['read', 'bash', 'edit', 'write'];

type ToolOptionsByName = Readonly<Record<string, RemoteToolOptions | undefined>>;

/** `createReadTool(cwd, { operations })`, `readTool`, `createCodingTools(cwd)` and the like. */
export function createToolFactories(ports: Ports): Record<string, unknown> {
  const factories = new Map(builtinTools.map((tool) => [tool.name, createToolFactory(tool, ports)] as const));
  const createTools = (cwd: string, names: readonly string[], toolOptionsByName: ToolOptionsByName = {}) =>
    names.flatMap((name) => factories.get(name)?.(cwd, toolOptionsByName[name]) ?? []);
  const names = [...factories.keys()];
  const namedExports = [...factories].flatMap(([name, factory]) => {
    const exportName = `${name[0]?.toUpperCase()}${name.slice(1)}Tool`;
    return [
      [`create${exportName}`, factory],
      [`create${exportName}Definition`, factory],
      [`${name}Tool`, factory(process.cwd())],
    ];
  });
  return {
    ...Object.fromEntries(namedExports),
    createCodingTools: (cwd: string, toolOptionsByName?: ToolOptionsByName) =>
      createTools(cwd, CODING_TOOLS, toolOptionsByName),
    createReadOnlyTools: (cwd: string, toolOptionsByName?: ToolOptionsByName) =>
      createTools(cwd, READ_ONLY_TOOLS, toolOptionsByName),
    createAllTools: (cwd: string, toolOptionsByName?: ToolOptionsByName) =>
      Object.fromEntries(createTools(cwd, names, toolOptionsByName).map((tool) => [tool.name, tool])),
    codingTools: createTools(process.cwd(), CODING_TOOLS),
    readOnlyTools: createTools(process.cwd(), READ_ONLY_TOOLS),
    createLocalBashOperations: () => ({ exec: createLocalExec(ports) }),
  };
}

function createToolFactory(tool: Tool, ports: Ports) {
  return (cwd: string, remote: RemoteToolOptions = {}) => ({
    ...describeTool(tool),
    label: tool.name,
    async execute(toolCallId: string, params: unknown, signal?: AbortSignal, onUpdate?: (partial: ToolResult) => void) {
      const { glob } = remote.operations ?? {};
      if (glob) return findWithOperations(remote.operations ?? {}, cwd, params as FindArguments);
      return tool.run(params, {
        toolCallId,
        cwd,
        ports: createRemotePorts(ports, remote),
        signal: signal ?? new AbortController().signal,
        update: (partial) => onUpdate?.(partial),
        artifacts: { reserve: () => reserveArtifact(ports, tool.name), find: async () => undefined },
        options: { shellPath: undefined, bashTimeout: undefined },
      });
    },
  });
}

interface FindArguments {
  pattern: string;
  path?: string;
  limit?: number;
}

const IGNORED_GLOBS = ['**/node_modules/**', '**/.git/**'];
const MAX_RESULTS = 1000;

async function findWithOperations(operations: Operations, cwd: string, params: FindArguments): Promise<ToolResult> {
  const { pattern, path = '.', limit = MAX_RESULTS } = params;
  const folder = resolve(cwd, path);
  if (operations.exists && !(await operations.exists(folder))) throw new Error(`Path not found: ${folder}`);
  const found = (await operations.glob?.(pattern, folder, { ignore: IGNORED_GLOBS, limit })) ?? [];
  const names = found.slice(0, limit).map((file) => (isAbsolute(file) ? relative(folder, file) : file));
  return { content: [{ type: 'text', text: names.join('\n') || 'No files found matching pattern' }] };
}

/** The default operations, which run commands on this machine. */
function createLocalExec(ports: Ports): NonNullable<Operations['exec']> {
  return async (command, cwd, { onData, signal, env = ports.toolEnv }) => {
    const child = await ports.processes.spawn({
      command: 'sh',
      args: ['-c', command],
      cwd,
      env,
      // The return value of onData is ignored, even if it is a promise.
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

export async function reserveArtifact({ files, ids }: Ports, name: string): Promise<{ id: string; path: string }> {
  const id = ids.entryId();
  return { id, path: `${await files.makeTemporaryDirectory('parley-extension-')}/${id}.${name}.log` };
}
