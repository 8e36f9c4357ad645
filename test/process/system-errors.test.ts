// Messages for errors of the operating system and of providers: the problem, the path and the solution.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { checkInit } from '../../src/app/doctor/check-programs.ts';
import { createDirectories, type ProgramDirectories, runProgram, startProgram, startRpc } from '../support/program.ts';
import { startRecordingProvider } from '../support/recording-provider.ts';

const RAW = /uv_cwd|E[A-Z]+: |, (stat|open|mkdir|scandir|rename|realpath|lstat) '/;

describe('a deleted working directory', () => {
  /** A launcher that deletes its working directory and then loads the program. */
  const createLauncher = (args: string[]) => {
    const directories = createDirectories();
    const gone = join(directories.cwd, 'gone');
    mkdirSync(gone);
    const launcher = join(directories.home, 'launch.mjs');
    const code = `import { rmdirSync } from 'node:fs'; process.chdir(${JSON.stringify(gone)}); rmdirSync(${JSON.stringify(gone)});
      process.argv.splice(1, 2, process.argv[2]); await import(process.argv[1]);`;
    writeFileSync(launcher, code);
    return { directories, launcher, args };
  };

  test.each([
    [['hello']],
    [['--mode', 'json', 'hello']],
    [['--mode', 'rpc']],
    [['--mode', 'rpc', '--dialect', 'opal']],
    [['config']],
    [['sessions']],
    [['export', 'x']],
    [['trust']],
  ])('%j reports it with exit code 2', async (args) => {
    const { directories, launcher } = createLauncher(args);
    const outcome = await runLauncher(launcher, args, directories);
    expect(outcome).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'Error: The working directory no longer exists. Change to an existing directory, or name one with --cwd PATH.\n',
    });
  });

  test('--cwd selects another directory', async () => {
    const { directories, launcher } = createLauncher([]);
    const args = ['--model', 'parley/offline', '--cwd', directories.cwd, 'say `hi`'];
    expect(await runLauncher(launcher, args, directories)).toMatchObject({ code: 0, stdout: 'hi\n' });
  });

  test('doctor runs all checks and reports it', async () => {
    const { directories, launcher } = createLauncher([]);
    const { code, stdout, stderr } = await runLauncher(launcher, ['doctor'], directories);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toContain('ERROR    directory    The working directory no longer exists.');
    expect(stdout).toContain('disk');
  });

  test('deleted by a tool: later tool calls report it', async () => {
    const program = startRpc(['--model', 'parley/offline']);
    for (const message of ['run `rmdir "$PWD"`', 'run `pwd`', 'list `.`', 'find all `*.ts` files', 'search for `x`']) {
      program.send({ id: message, type: 'prompt', message });
      const { result } = await program.nextFrame({ type: 'tool_execution_end' });
      await program.nextFrame({ type: 'agent_settled' });
      expect(JSON.stringify(result)).not.toContain('uv_cwd');
    }
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0 });
  });
});

describe('an unreadable user directory', () => {
  /** A link to itself, which even root cannot read. */
  const unreadable = (): ProgramDirectories => {
    const directories = createDirectories();
    const home = join(directories.home, 'loop');
    symlinkSync('loop', home);
    return { ...directories, home };
  };

  test('doctor runs all checks and reports a solution', async () => {
    const directories = unreadable();
    const { code, stdout, stderr } = await runProgram(['doctor'], '', { directories });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).not.toMatch(RAW);
    expect(stdout).toContain(
      `ERROR    permissions  ${directories.home}/settings.json: too many symbolic links (ELOOP)`,
    );
    expect(stdout).toContain(`chmod 700 ${directories.home}, or set PARLEY_DIR to another directory.`);
  });

  test.each([
    [['hello'], 2],
    [['--mode', 'rpc'], 2],
    [['--mode', 'rpc', '--dialect', 'opal'], 2],
    [['config', 'set', 'approval', 'always'], 1],
    [['sessions'], 1],
    [['export', 'x'], 1],
    [['trust'], 1],
    [['--list-models'], 1],
  ])('%j: the error has the path and a solution', async (args, code) => {
    const directories = unreadable();
    const outcome = await startProgram(args, { directories }).exited;
    expect(outcome).toMatchObject({ code, stdout: '' });
    expect(outcome.stderr).not.toMatch(RAW);
    expect(outcome.stderr).toMatch(/too many symbolic links \(ELOOP\)|is not a directory \(EEXIST\)/);
    expect(outcome.stderr).toContain('PARLEY_DIR');
  });
});

test('a directory that cannot be created is rejected', async () => {
  for (const path of ['/proc/1/x', '/proc/1/x/y', '/dev/null/x']) {
    const { code, stderr } = await runProgram(['--model', 'parley/offline', '--session-dir', path, 'say `hi`']);
    expect(code).toBe(1);
    expect(stderr).toContain(path);
  }
  const program = startRpc(['--model', 'parley/offline']);
  program.send({ id: 'p', type: 'prompt', message: 'create `/proc/1/x/note.txt` with the content `hi`' });
  expect(await program.nextFrame({ type: 'tool_execution_end' })).toMatchObject({ isError: true });
});

describe('export_html', () => {
  const startWithMessage = async () => {
    const program = startRpc(['--model', 'parley/offline']);
    program.send({ id: 'p', type: 'prompt', message: 'say `hi`' });
    await program.nextFrame({ type: 'agent_settled' });
    return program;
  };

  test('an empty path means the default path', async () => {
    const program = await startWithMessage();
    const { data } = await program.call({ type: 'export_html', outputPath: '' });
    expect((data as { path: string }).path).toMatch(/\/parley-session-[0-9a-f]{8}\.html$/);
  });

  test('a directory, a path below a file and /proc are rejected with a readable message', async () => {
    const program = await startWithMessage();
    writeFileSync(join(program.cwd, 'file'), 'x');
    for (const [outputPath, words] of [
      ['.', 'is a directory. Name a file in it.'],
      ['pages/', 'is a directory. Name a file in it.'],
      ['file/page.html', 'file: '],
      ['/proc/1/x/page.html', '/proc/1/x'],
    ] as const) {
      const { success, error } = await program.call({ type: 'export_html', outputPath });
      expect(success).toBe(false);
      expect(error).toContain('The page cannot be written: ');
      expect(error).toContain(words);
      expect(error).not.toMatch(RAW);
    }
    expect(await program.call({ type: 'export_html', outputPath: 'new/folder/page.html' })).toMatchObject({
      success: true,
    });
    // A file that the host names is replaced.
    expect(await program.call({ type: 'export_html', outputPath: 'file' })).toMatchObject({ success: true });
  });
});

describe('parley export', () => {
  const createSession = async () => {
    const directories = createDirectories();
    await runProgram(['--model', 'parley/offline', '--session-id', 's', 'say `hi`'], '', { directories });
    return directories;
  };

  test('replaces an earlier export; other files only with --force', async () => {
    const directories = await createSession();
    const file = join(directories.cwd, 'page.html');
    expect(await runProgram(['export', 's', 'page.html'], '', { directories })).toMatchObject({
      code: 0,
      stdout: `${file}\n`,
    });
    expect(await runProgram(['export', 's', 'page.html'], '', { directories })).toMatchObject({ code: 0 });
    writeFileSync(file, '<!doctype html><title>mine</title>');
    const refused = await runProgram(['export', 's', 'page.html'], '', { directories });
    expect(refused).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `Error: ${file} exists and is not an earlier export. Name another file, or replace it with --force.\n`,
    });
    expect(readFileSync(file, 'utf8')).toContain('mine');
    expect(await runProgram(['export', 's', 'page.html', '--force'], '', { directories })).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).not.toContain('mine');
  });

  test.each([
    ['.', 'is a directory. Name a file in it.'],
    ['missing/page.html', 'There is no directory '],
  ])('%s is rejected with a readable message', async (file, words) => {
    const directories = await createSession();
    const { code, stderr } = await runProgram(['export', 's', file], '', { directories });
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(RAW);
  });
});

describe('a provider that rejects the key', () => {
  const BODY =
    '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"r"}';

  test('the error has the provider message, the source of the key and how to set another', async () => {
    const directories = createDirectories();
    const provider = await startRecordingProvider([{ status: 401, body: BODY }]);
    const env = { ANTHROPIC_API_KEY: 'sk-wrong', ANTHROPIC_BASE_URL: provider.url };
    const { code, stderr } = await runProgram(['--provider', 'anthropic', 'hi'], '', { directories, env });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Error: 401 authentication_error: invalid x-api-key (request r). The key comes from the variable ANTHROPIC_API_KEY. To use another: set ANTHROPIC_API_KEY, or add a key for "anthropic" to ${directories.home}/auth.json.\n`,
    );
    expect(provider.requests).toHaveLength(1);
  });

  test('the error names models.json as the source of the key', async () => {
    const directories = createDirectories();
    const provider = await startRecordingProvider([{ status: 403, body: '{"error":"no access"}' }]);
    provider.writeModelsFile(directories.home);
    const { stderr } = await runProgram(['--model', 'own/m', 'hi'], '', { directories });
    expect(stderr).toContain(
      `Error: 403 no access. The key comes from ${directories.home}/models.json. To use another: add a key for "own"`,
    );
  });

  test('other failures are retried', async () => {
    const directories = createDirectories();
    const overloaded = {
      status: 529,
      body: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    };
    const provider = await startRecordingProvider([overloaded, 'at last']);
    provider.writeModelsFile(directories.home);
    const outcome = await runProgram(['--model', 'own/m', '--set', 'retry.baseDelayMs=1', 'hi'], '', { directories });
    expect(outcome).toMatchObject({ code: 0, stdout: 'at last\n' });
    expect(provider.requests).toHaveLength(2);
  });
});

test.each([
  [1, undefined, 1],
  [7, 'node', 1],
  [7, 'tini', 0],
  [7, 'systemd', 0],
  [7, undefined, 0],
])('doctor as process %i with process 1 = %s: %i warnings about a missing init', (pid, first, count) => {
  const findings = checkInit(pid, first);
  expect(findings).toHaveLength(count);
  for (const { remedy } of findings) expect(remedy).toContain('--init');
});

/** Runs the program through the launcher. */
function runLauncher(launcher: string, args: string[], programDirectories: ProgramDirectories) {
  return runProgram([inject('program'), ...args], '', { directories: programDirectories, program: launcher });
}
