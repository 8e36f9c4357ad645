// For tests of tools: a real directory, the real ports, and a shelf for artifacts, as a session would give them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GenericSchema, InferOutput } from 'valibot';
import { afterAll, expect } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { Fault } from '../../src/base/index.ts';
import type { Artifacts, Ports, Tool, ToolContext, ToolResult } from '../../src/contracts/index.ts';
import { temporaryDirectory } from '../support/temporary.ts';

export const ports = createSystemPorts();
afterAll(() => ports.close());

export interface Surroundings extends ToolContext {
  readonly updates: ToolResult[];
  readonly shelf: string;
  abort(): void;
  /** Creates files, with the folders they need. */
  put(files: Record<string, string | Uint8Array>): void;
  path(name: string): string;
  text(name: string): string;
}

export function surroundings(overrides: Partial<ToolContext> = {}): Surroundings {
  const cwd = temporaryDirectory();
  const shelf = temporaryDirectory();
  const controller = new AbortController();
  const updates: ToolResult[] = [];
  return {
    toolCallId: 'call-1',
    cwd,
    signal: controller.signal,
    ports,
    artifacts: artifactsIn(shelf),
    options: { shellPath: undefined, bashTimeout: undefined },
    update: (partial) => updates.push(partial),
    ...overrides,
    updates,
    shelf,
    abort: () => controller.abort(),
    path: (name) => join(cwd, name),
    text: (name) => readFileSync(join(cwd, name), 'utf8'),
    put(files) {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(cwd, name)), { recursive: true });
        writeFileSync(join(cwd, name), content);
      }
    },
  };
}

/** The same ports, counting what is started and what is killed. */
export function countingPorts(): { ports: Ports; counts: { spawned: number; killed: number } } {
  const counts = { spawned: 0, killed: 0 };
  const processes: Ports['processes'] = {
    ...ports.processes,
    async spawn(request) {
      counts.spawned += 1;
      const child = await ports.processes.spawn(request);
      const kill = () => {
        counts.killed += 1;
        child.kill();
      };
      return { ...child, kill };
    },
  };
  return { ports: { ...ports, processes }, counts };
}

function artifactsIn(shelf: string): Artifacts {
  let next = 0;
  return {
    async reserve(purpose) {
      const id = String(next);
      next += 1;
      return { id, path: join(shelf, `${id}.${purpose}.log`) };
    },
    async find(id) {
      const name = readdirSync(shelf).find((candidate) => candidate.startsWith(`${id}.`));
      return name && join(shelf, name);
    },
  };
}

/** The text of a result that has nothing but text. */
export function textOf(result: ToolResult): string {
  expect(result.content).toHaveLength(1);
  const [block] = result.content;
  if (block?.type !== 'text') throw new Error('not a text result');
  return block.text;
}

/** What a tool that must refuse says. */
export async function refusal<P extends GenericSchema>(
  tool: Tool<P>,
  args: InferOutput<P>,
  context: ToolContext,
): Promise<Fault> {
  try {
    await tool.run(args, context);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(Fault);
    return thrown as Fault;
  }
  throw new Error(`${tool.name} did not refuse ${JSON.stringify(args)}`);
}
