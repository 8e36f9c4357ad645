// The commands help, models, version and update, and the refusal of unknown commands.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SUBCOMMANDS } from '../../src/cli/subcommands.ts';
import { createDirectories, runProgram } from '../support/program.ts';
import { listPaths } from '../support/session-files.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('parley help', () => {
  test('lists every command', async () => {
    const { code, stdout, stderr } = await runProgram(['help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const listed = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
    expect(listed).toEqual(expect.arrayContaining(['help', ...Object.keys(SUBCOMMANDS)]));
  });

  test.each(Object.keys(SUBCOMMANDS))('%s --help has the synopsis and examples', async (name) => {
    const directories = createDirectories();
    const [asked, flag] = await Promise.all([
      runProgram(['help', name], '', { directories }),
      runProgram([name, '--help'], '', { directories }),
    ]);
    expect(asked).toEqual(flag);
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    expect(asked.stdout).toMatch(new RegExp(`^Usage: parley ${name}\\b`));
    expect(asked.stdout).toMatch(new RegExp(`\\nExamples:\\n(  .*parley ${name}.*\\n)+$`));
    expect(listPaths(directories.home)).toEqual([]);
  });

  test('an unknown topic is refused', async () => {
    const outcome = await runProgram(['help', 'sesions']);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toBe('Error: Unknown command "sesions". Did you mean `parley sessions`?\n');
  });
});

describe('unknown commands', () => {
  test.each([
    [['install', 'npm:x'], 'Load an extension with -e PATH'],
    [['sesions'], 'Did you mean `parley sessions`?'],
    [['--mode', 'json', 'init'], '`parley help` lists the commands.'],
    [['--no-session', 'models'], 'must come before all flags'],
  ])('%j is refused and starts no session', async (args, words) => {
    const directories = createDirectories();
    const { code, stdout, stderr } = await runProgram(args, '', { directories });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr.split('\n')).toHaveLength(2);
    expect(listPaths(directories.home)).toEqual([]);
  });

  test.each([
    [['hello']],
    [['-p', 'install']],
    [['--print', 'install', 'x']],
    [['--', 'install']],
    [['run `echo install`']],
  ])('%j is a prompt', async (args) => {
    const { stderr, stdout } = await runProgram(['--no-session', '--mode', 'json', ...args]);
    expect(stderr).not.toContain('Unknown command');
    expect(stdout).toContain('agent_start');
  });
});

describe('parley models', () => {
  test('prints the same table as --list-models', async () => {
    const directories = createDirectories();
    const env = { OPENAI_API_KEY: 'sk-x' };
    const [table, list, flag] = await Promise.all(
      [
        ['models', 'gpt'],
        ['models', 'list', 'gpt'],
        ['--list-models', 'gpt'],
      ].map((args) => runProgram(args, '', { directories, env })),
    );
    expect(table).toEqual(flag);
    expect(list).toEqual(flag);
    expect(table?.stdout).toMatch(/^openai +gpt/m);
  });

  test('--json prints the fields that hosts read', async () => {
    const env = { ANTHROPIC_API_KEY: 'sk-x' };
    const { code, stdout } = await runProgram(['models', 'list', '--json', 'sonnet', '4.5'], '', { env });
    expect(code).toBe(0);
    const { models } = JSON.parse(stdout);
    expect(models).toContainEqual({
      provider: 'anthropic',
      kind: 'chat',
      id: 'claude-sonnet-4-5',
      selector: 'anthropic/claude-sonnet-4-5',
      name: expect.any(String),
      contextWindow: expect.any(Number),
      maxTokens: expect.any(Number),
      reasoning: true,
      thinking: expect.arrayContaining(['low', 'high']),
      input: expect.arrayContaining(['text', 'image']),
      cost: { input: 3, output: 15, cacheRead: expect.any(Number), cacheWrite: expect.any(Number) },
    });
    const none = await runProgram(['models', '--json', 'unheard-of'], '', { env });
    expect(JSON.parse(none.stdout)).toEqual({ models: [] });
  });

  test('a model without thinking has none', async () => {
    const { stdout } = await runProgram(['models', '--json', '--provider', 'parley']);
    expect(JSON.parse(stdout).models).toMatchObject([{ selector: 'parley/offline', kind: 'chat' }]);
  });
});

test('parley version', async () => {
  expect(await runProgram(['version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  const { stdout } = await runProgram(['version', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    version,
    node: process.versions.node,
    platform: process.platform,
    arch: process.arch,
  });
});

describe('parley config', () => {
  test('list and get', async () => {
    const { stdout } = await runProgram(['config', 'list', '--json']);
    const listed = JSON.parse(stdout);
    expect(listed['retry.enabled']).toEqual({ value: true, origin: 'default', description: expect.any(String) });
    const one = await runProgram(['config', 'get', 'retry.enabled', '--json']);
    expect(JSON.parse(one.stdout)).toMatchObject({ key: 'retry.enabled', value: true });
    expect((await runProgram(['config', 'retry.enabled', '--json'])).stdout).toBe(one.stdout);
    expect(await runProgram(['config', 'get'])).toMatchObject({ code: 2, stdout: '' });
    expect(await runProgram(['config', 'list', 'x'])).toMatchObject({ code: 2, stdout: '' });
  });

  test('path', async () => {
    const directories = createDirectories();
    const { stdout } = await runProgram(['config', 'path'], '', { directories });
    expect(stdout).toBe(`${join(directories.home, 'settings.json')}\n`);
  });
});

describe('parley update', () => {
  /** `npm` is a script that runs `commands`. */
  function withNpm(commands: string) {
    const folder = createTemporaryDirectory();
    writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${commands}\n`);
    chmodSync(join(folder, 'npm'), 0o755);
    return { PATH: [folder, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter) };
  }

  test('names the installation and the command', async () => {
    const { code, stdout } = await runProgram(['update', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ version, kind: expect.any(String), updateCommand: expect.any(String) });
    const text = await runProgram(['update']);
    expect(text.stdout).toMatch(/^Parley .*, installed as .*\.\nTo update: .*\n$/);
  });

  test('--check asks npm in the home directory, without keys', async () => {
    const directories = createDirectories();
    writeFileSync(join(directories.cwd, '.npmrc'), 'registry=http://127.0.0.1:9/');
    const env = {
      ...withNpm('echo "$@" "$PWD" "$OPENAI_API_KEY" > "$HOME/asked"; echo 99.0.0'),
      OPENAI_API_KEY: 'sk-x',
    };
    const { code, stdout } = await runProgram(['update', '--check'], '', { directories, env });
    expect(code).toBe(0);
    expect(stdout).toContain('The latest version is 99.0.0.\nTo update: ');
    expect(readFileSync(join(directories.home, 'asked'), 'utf8')).toBe(
      `view parley-agent version ${directories.home} \n`,
    );
  });

  test('--check says that the program is up to date', async () => {
    const { stdout } = await runProgram(['update', '--check'], '', { env: withNpm(`echo ${version}`) });
    expect(stdout).toMatch(/This is the latest version\.\n$/);
  });

  test.each([
    ['offline', 'echo "npm error code ENOTFOUND" >&2; exit 1', '(ENOTFOUND)'],
    ['not published', 'echo "npm ERR! code E404" >&2; exit 1', '(it has no package parley-agent)'],
    ['nonsense', 'echo "<html>"', '(npm ended with exit code 0)'],
  ])('--check, %s: a clear error', async (_, commands, reason) => {
    const { code, stdout, stderr } = await runProgram(['update', '--check'], '', { env: withNpm(commands) });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `Error: The latest version is unknown: npm could not ask its registry ${reason}. Check the network and \`npm config get registry\`, then try again.\n`,
    );
  });

  test('--check without npm', async () => {
    const { code, stderr } = await runProgram(['update', '--check'], '', { env: { PATH: createTemporaryDirectory() } });
    expect(code).toBe(1);
    expect(stderr).toContain('npm cannot be started');
  });
});
