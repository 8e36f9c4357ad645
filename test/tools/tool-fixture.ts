// Runs tools in tests with a temporary directory, the real ports and an artifact directory.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GenericSchema, InferOutput } from 'valibot';
import { afterAll, expect } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { Fault } from '../../src/base/index.ts';
import type { Artifacts, Ports, Tool, ToolContext, ToolResult } from '../../src/contracts/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

export const ports = createSystemPorts();
afterAll(() => ports.close());

export interface ToolFixture extends ToolContext {
  readonly updates: ToolResult[];
  readonly artifactDirectory: string;
  abort(): void;
  /** Creates missing folders too. */
  writeFiles(files: Record<string, string | Uint8Array>): void;
  path(name: string): string;
  readText(name: string): string;
}

export function createToolFixture(overrides: Partial<ToolContext> = {}): ToolFixture {
  const cwd = createTemporaryDirectory();
  const artifactDirectory = createTemporaryDirectory();
  const controller = new AbortController();
  const updates: ToolResult[] = [];
  return {
    toolCallId: 'call-1',
    cwd,
    signal: controller.signal,
    ports,
    artifacts: createArtifacts(artifactDirectory),
    options: { shellPath: undefined, bashTimeout: undefined },
    update: (partial) => updates.push(partial),
    ...overrides,
    updates,
    artifactDirectory,
    abort: () => controller.abort(),
    path: (name) => join(cwd, name),
    readText: (name) => readFileSync(join(cwd, name), 'utf8'),
    writeFiles(files) {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(cwd, name)), { recursive: true });
        writeFileSync(join(cwd, name), content);
      }
    },
  };
}

/** The real ports, which count started and killed processes. */
export function createCountingPorts(): { ports: Ports; counts: { spawned: number; killed: number } } {
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

function createArtifacts(directory: string): Artifacts {
  let next = 0;
  return {
    async reserve(purpose) {
      const id = String(next);
      next += 1;
      return { id, path: join(directory, `${id}.${purpose}.log`) };
    },
    async find(id) {
      const name = readdirSync(directory).find((candidate) => candidate.startsWith(`${id}.`));
      return name && join(directory, name);
    },
  };
}

/** The text of a result with a single text block. */
export function getText(result: ToolResult): string {
  expect(result.content).toHaveLength(1);
  const [block] = result.content;
  if (block?.type !== 'text') throw new Error('not a text result');
  return block.text;
}

/** Runs the tool and returns the Fault that it throws. */
export async function expectFault<P extends GenericSchema>(
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
  throw new Error(`${tool.name} did not throw for ${JSON.stringify(args)}`);
}
