// Runs commands in the real sandbox, with a home directory and a workspace outside /tmp, which is replaced inside.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { createClock } from '../../src/app/system-ports/clock.ts';
import { createFiles } from '../../src/app/system-ports/files.ts';
import { createIds } from '../../src/app/system-ports/ids.ts';
import { markedDirectories } from '../../src/app/system-ports/marked-directories.ts';
import { createProcessIdentity } from '../../src/app/system-ports/process-identity.ts';
import { createProcesses } from '../../src/app/system-ports/processes.ts';
import { createSandbox, removeUnusedPlaceholders, type SandboxOptions } from '../../src/sandbox/index.ts';

const processes = createProcesses({ ids: createIds() });
afterAll(() => processes.close());

export interface SandboxFixture {
  readonly home: string;
  readonly cwd: string;
  run(command: string, env?: Record<string, string>): Promise<{ code: number | null; output: string }>;
}

/** `files`: paths relative to the base directory, which contains `home` and `home/work`, the workspace. */
export function createFixture(
  files: Readonly<Record<string, string>> = {},
  overrides: Partial<SandboxOptions> = {},
): SandboxFixture {
  const base = mkdtempSync('/var/tmp/parley-sandbox-');
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const home = join(base, 'home');
  const cwd = join(home, 'work');
  mkdirSync(cwd, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  }
  const toolEnv = { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C' };
  const ports = { files: createFiles(), processes, toolEnv, platform: 'linux', clock: createClock() };
  const sandbox = createSandbox({
    ...{ mode: 'workspace-write', network: 'off', cwd, writableRoots: [], deniedReads: [], home, ports },
    agentDirectory: join(home, '.parley'),
    processIdentity: createProcessIdentity(),
    temporaryDirectory: async () => join(base, 'private'),
    markedDirectories,
    programPaths: [],
    ...overrides,
  });
  return {
    home,
    cwd,
    async run(command, env = {}) {
      let output = '';
      const request = { command: '/bin/bash', args: ['-c', command], cwd, env: { ...toolEnv, ...env } };
      const wrapped = await sandbox.wrap(request);
      const onOutput = (chunk: Uint8Array) => {
        output += Buffer.from(chunk).toString('utf8');
      };
      try {
        const { code } = await (await processes.spawn({ ...wrapped, onOutput })).finished;
        return { code, output };
      } finally {
        await wrapped.release();
        await removeUnusedPlaceholders();
      }
    },
  };
}
