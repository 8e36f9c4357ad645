// In-memory files for tests of cloud credentials; counts reads.
import type { CloudFiles } from '../../../../src/llm/apis/ai-sdk/sign-in/aws-config.ts';

export interface MemoryFiles extends CloudFiles {
  readonly reads: readonly string[];
  put(path: string, content: unknown): void;
}

export function createMemoryFiles(files: Readonly<Record<string, unknown>> = {}): MemoryFiles {
  const contents = new Map<string, { bytes: Uint8Array; modifiedMs: number }>();
  const reads: string[] = [];
  let changes = 0;
  const put = (path: string, content: unknown) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    contents.set(path, { bytes: new TextEncoder().encode(text), modifiedMs: ++changes });
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
