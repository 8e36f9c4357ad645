// The sandbox on other systems and without its program: Seatbelt with fake processes, and refusals.
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFiles } from '../../src/app/system-ports/files.ts';
import { markedDirectories } from '../../src/app/system-ports/marked-directories.ts';
import { createProcessIdentity } from '../../src/app/system-ports/process-identity.ts';
import type { Files, SpawnRequest } from '../../src/contracts/index.ts';
import { createSandbox, findSandboxProblem, type SandboxOptions } from '../../src/sandbox/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const SANDBOX_EXEC = '/usr/bin/sandbox-exec';
const PROGRAM = { kind: 'file', mode: 0o755, size: 1, mtimeMs: 0 };

function createFixture(platform: string, overrides: Partial<SandboxOptions> = {}, programs: readonly string[] = []) {
  const base = realpathSync(createTemporaryDirectory());
  const home = join(base, 'home');
  const cwd = join(home, 'a "quoted" name');
  mkdirSync(cwd, { recursive: true });
  const spawned: SpawnRequest[] = [];
  const code = { value: 0 };
  const real = createFiles();
  const files: Files = {
    ...real,
    info: async (path, options) => (programs.includes(path) ? (PROGRAM as never) : real.info(path, options)),
    realPath: async (path) => (path.endsWith('/bwrap') ? '/missing/bwrap' : real.realPath(path)),
  };
  const processes = {
    spawn: async (request: SpawnRequest) => {
      spawned.push(request);
      return { pid: 1, finished: Promise.resolve({ code: code.value, signal: null }), kill() {} };
    },
  };
  const ports = { files, processes, toolEnv: {}, platform } as unknown as SandboxOptions['ports'];
  const sandbox = createSandbox({
    ...{ mode: 'workspace-write', network: 'off', cwd, home, writableRoots: [], deniedReads: [], ports },
    ...{
      agentDirectory: join(home, '.parley'),
      processIdentity: createProcessIdentity(),
      markedDirectories,
      programPaths: [],
    },
    temporaryDirectory: async () => join(base, 'private'),
    ...overrides,
  });
  const env = { PATH: '/usr/bin', API_KEY: 'x' };
  const wrap = () => sandbox.wrap({ command: '/bin/bash', args: ['-c', 'true'], cwd, env });
  return { base, cwd, ports, spawned, code, wrap };
}

test('macOS: sandbox-exec at its absolute path, a private temporary directory, paths only as parameters', async () => {
  const { base, cwd, spawned, wrap } = createFixture('darwin', {}, [SANDBOX_EXEC]);
  const { command, args, env, release } = await wrap();
  expect(command).toBe(SANDBOX_EXEC);
  expect(args.slice(-4)).toEqual(['--', '/bin/bash', '-c', 'true']);
  const temporary = join(base, 'private/tmp');
  const parameters = args
    .filter((_, index) => args[index - 1] === '-D')
    .map((text) => text.slice(text.indexOf('=') + 1));
  expect(parameters.sort()).toEqual([cwd, temporary].sort());
  expect(args[args.indexOf('-p') + 1]).not.toContain('quoted"');
  expect(env).toEqual({ PATH: '/usr/bin', TMPDIR: temporary, PARLEY_SANDBOX: '1' });
  await release();
  await wrap();
  expect(spawned).toHaveLength(1);
  expect(spawned[0]?.args.at(-1)).toBe('/usr/bin/true');
});

test('macOS: with an allow-list only the port of the proxy', async () => {
  let isOpen = true;
  const openNetwork = async () => ({
    ...{ env: { HTTPS_PROXY: 'http://127.0.0.1:4123' }, socket: undefined, port: 4123 },
    wrapCommand: (command: { command: string; args: readonly string[] }) => command,
    explainRefusals: () => 'refused',
    close: async () => {
      isOpen = false;
    },
  });
  const { wrap } = createFixture('darwin', { network: 'allow-list', openNetwork }, [SANDBOX_EXEC]);
  const { args, env, release, explainFailure } = await wrap();
  expect(args.join(' ')).toContain('(remote tcp "localhost:4123")');
  expect(env.HTTPS_PROXY).toBe('http://127.0.0.1:4123');
  expect(explainFailure({ exitCode: 1, output: '' })).toBe('refused');
  await release();
  expect(isOpen).toBe(false);
});

test('macOS: missing or failing, commands are refused', async () => {
  const missing = createFixture('darwin');
  await expect(missing.wrap()).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('/usr/bin/sandbox-exec is missing'),
  });
  const failing = createFixture('darwin', {}, [SANDBOX_EXEC]);
  failing.code.value = 71;
  await expect(failing.wrap()).rejects.toMatchObject({ code: 'refused' });
  expect(await findSandboxProblem(failing.ports)).toMatchObject({ reason: expect.stringContaining('exit code 71') });
});

test.each(['win32', 'freebsd'])('%s: commands are refused', async (platform) => {
  const { wrap, ports, spawned } = createFixture(platform);
  await expect(wrap()).rejects.toMatchObject({ code: 'refused' });
  expect(await findSandboxProblem(ports)).toMatchObject({ reason: `there is no sandbox for ${platform}` });
  expect(spawned).toEqual([]);
});

test('Linux without bubblewrap: commands are refused, and nothing was created in the workspace', async () => {
  const { wrap, ports, cwd } = createFixture('linux');
  await expect(wrap()).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('bubblewrap (bwrap) is not installed'),
  });
  expect(await findSandboxProblem(ports)).toMatchObject({ remedy: expect.stringContaining('apt-get install') });
  expect(await createFiles().list(cwd)).toEqual([]);
});

test('an allow-list without a proxy is refused', async () => {
  const { wrap } = createFixture('darwin', { network: 'allow-list' }, [SANDBOX_EXEC]);
  await expect(wrap()).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining('allow-list') });
});
