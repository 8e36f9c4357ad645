// Files for tests of sign-ins: what a path holds, which may change, and how often it was read.
import type { CloudFiles } from '../../../../src/llm/apis/ai-sdk/sign-in/aws-files.ts';

export interface HeldFiles extends CloudFiles {
  readonly reads: readonly string[];
  put(path: string, content: unknown): void;
}

export function holding(files: Readonly<Record<string, unknown>> = {}): HeldFiles {
  const held = new Map<string, { bytes: Uint8Array; modifiedMs: number }>();
  const reads: string[] = [];
  let changes = 0;
  const put = (path: string, content: unknown) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    held.set(path, { bytes: new TextEncoder().encode(text), modifiedMs: ++changes });
  };
  for (const [path, content] of Object.entries(files)) put(path, content);
  return {
    reads,
    put,
    async info(path) {
      const file = held.get(path);
      return file && { kind: 'file', size: file.bytes.length, modifiedMs: file.modifiedMs, mode: 0o600 };
    },
    async read(path) {
      reads.push(path);
      return held.get(path)?.bytes ?? new Uint8Array();
    },
  };
}
