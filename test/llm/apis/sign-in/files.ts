// Files and clock for tests of cloud credentials. The libraries of Amazon and Google read some files and the time themselves.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, vi } from 'vitest';
import type { CloudFiles } from '../../../../src/llm/apis/ai-sdk/sign-in/aws-config.ts';
import { createFakeClock, type FakeClock } from '../../../../src/testing/fake-clock.ts';

export interface MemoryFiles extends CloudFiles {
  readonly reads: readonly string[];
  put(path: string, content: unknown): void;
}

const toText = (content: unknown) => (typeof content === 'string' ? content : JSON.stringify(content));

export function createMemoryFiles(files: Readonly<Record<string, unknown>> = {}): MemoryFiles {
  const contents = new Map<string, { bytes: Uint8Array; modifiedMs: number }>();
  const reads: string[] = [];
  let changes = 0;
  const put = (path: string, content: unknown) => {
    contents.set(path, { bytes: new TextEncoder().encode(toText(content)), modifiedMs: ++changes });
  };
  for (const [path, content] of Object.entries(files)) put(path, content);
  return {
    reads,
    put,
    async info(path) {
      const file = contents.get(path);
      return file && { kind: 'file', size: file.bytes.length, modifiedMs: file.modifiedMs, mode: 0o600 };
    },
    async read(path) {
      reads.push(path);
      return contents.get(path)?.bytes ?? new Uint8Array();
    },
  };
}

/** The same on disk. Everything below `root` is removed first. */
export function createDiskFiles(root: string, files: Readonly<Record<string, unknown>> = {}): MemoryFiles {
  rmSync(root, { recursive: true, force: true });
  const reads: string[] = [];
  const put = (path: string, content: unknown) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, toText(content));
  };
  for (const [path, content] of Object.entries(files)) put(path, content);
  return {
    reads,
    put,
    async info(path) {
      const file = statSync(path, { throwIfNoEntry: false });
      return file && { kind: 'file', size: file.size, modifiedMs: file.mtimeMs, mode: 0o600 };
    },
    async read(path) {
      reads.push(path);
      return readFileSync(path);
    },
  };
}

/** `Date` shows the time of this clock. */
export function createSystemFakeClock(): FakeClock {
  const clock = createFakeClock();
  beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: clock.now() }));
  afterAll(() => void vi.useRealTimers());
  return {
    ...clock,
    async advance(ms) {
      vi.setSystemTime(clock.now() + ms);
      await clock.advance(ms);
    },
  };
}
