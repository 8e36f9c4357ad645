import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createDirectories, runProgram, startRpc } from '../support/program.ts';
import { listPaths } from '../support/session-files.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

describe('information flags', () => {
  test.each([['--version'], ['-v'], ['--mode', 'rpc', '--version']])('print the version: %s %s %s', async (...args) => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const directories = createDirectories();
    const outcome = await runProgram(args, '', { directories });
    expect(outcome).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: '' });
    expect(listPaths(directories.home)).toEqual([]);
  });

  test.each([['--help'], ['-h']])('print the help: %s', async (flag) => {
    const { code, stdout, stderr } = await runProgram([flag]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('--mode');
    expect(stdout).toContain('--no-session');
  });
});

describe('invalid arguments of subcommands', () => {
  test.each([
    [['config', 'retry.enabeld'], 'unknown setting retry.enabeld (did you mean retry.enabled?); `parley config` lists'],
    [['config', 'set'], 'parley config set needs a KEY and a VALUE'],
    [['config', 'unset'], 'parley config unset needs a KEY\n'],
    [['config', 'set', 'retry.enabled'], 'parley config set retry.enabled needs a value'],
    [['config', 'set', 'retry.enabled', 'maybe'], 'retry.enabled must be a boolean (got "maybe")'],
    [['config', 'retry.enabled', 'extra'], 'Unexpected argument: extra'],
    [['config', 'unset', 'retry.enabled', 'extra'], 'Unexpected argument: extra'],
    [['permissions', 'tset'], 'Unknown action: parley permissions tset. Did you mean `parley permissions test`?'],
    [['permissions', 'list', 'extra'], 'Unexpected argument: extra'],
    [['permissions', '--nope'], "Unknown option '--nope'"],
    [['permissions', '--cwd', '/nowhere/at/all'], 'Working directory does not exist: /nowhere/at/all'],
    [['permissions', 'add', 'bash(ls)'], 'parley permissions add needs allow, ask or deny, and one RULE'],
    [['permissions', 'add', 'allow', 'bash(ls', 'x)'], 'parley permissions add needs allow, ask or deny, and one'],
    [['permissions', 'add', 'allow', 'bash(ls'], 'The permission rule "bash(ls" must end with `)`'],
    [['permissions', 'add', 'allow', "bash(echo 'x)"], "is invalid: the quote ' is not closed"],
    [['permissions', 'add', 'allow', 'Bash(ls)'], 'must begin with the name of a tool of Parley'],
    [['permissions', 'remove'], 'parley permissions remove needs one RULE'],
    [['permissions', 'remove', 'a', 'b'], 'parley permissions remove needs one RULE'],
    [['permissions', 'test'], 'parley permissions test needs one CALL'],
    [['permissions', 'test', 'bash(ls'], 'A call is TOOL or TOOL(ARGUMENT)'],
    [['permissions', 'test', 'todo_write(x)'], 'Rules for todo_write have no pattern'],
    [['permissions', 'test', 'bash(ls)', '--approval-mode', 'maybe'], 'approval must be "read-only"'],
    [['permissions', 'test', 'bash(ls)', '--deny', '((x'], 'must be TOOL or TOOL(PATTERN)'],
    [['sessions', 'foo'], 'Unknown subcommand: parley sessions foo. Use list, delete, prune, import, export or rekey.'],
    [['sessions', 'import', '--all'], 'parley sessions import needs a database. Name one: --store URL'],
    [['sessions', 'rekey', 'x'], 'parley sessions rekey does not take x'],
    [['sessions', '--tenant', 'a'], '--tenant has no effect without a database'],
    [['sessions', '--store', 'mysql://x'], '--store: store must have the form postgres://'],
    [['sessions', '--session-dir', 'a', '--store', 'postgres://h/n'], '--session-dir and --store exclude each other'],
    [['sessions', '--store', 'postgres://h/n', '--tenant', 'a b'], '--tenant must be 1 to 64 letters'],
    [['sessions', 'list', 'extra'], 'parley sessions list does not take extra'],
    [['sessions', '--dry-run'], 'parley sessions list does not take --dry-run'],
    [['sessions', 'delete', '--dry-run', 'abc'], 'parley sessions delete does not take --dry-run'],
    [['sessions', 'prune', '--older-than', '9', 'x'], 'parley sessions prune does not take x'],
    [['sessions', 'prune', '--older-than', 'soon'], 'for example --older-than 90 (got "soon")'],
    [['doctor', 'extra'], "Unexpected argument 'extra'"],
    [['schema', '--dialect', 'klingon'], 'klingon'],
    [['schema', '--openapi', '--types'], '--openapi cannot be combined'],
    [['export'], 'SESSION is missing.'],
    [['trust', '--nope'], "Unknown option '--nope'"],
  ])('%j: exit code 2, nothing on stdout, no file', async (args, words) => {
    const directories = createDirectories();
    const { code, stdout, stderr } = await runProgram(args, '', { directories });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
    expect(listPaths(directories.home)).toEqual([]);
  });
});

describe('invalid arguments', () => {
  test.each([
    ['an unknown flag', ['--frobnicate', 'hello'], 2, 'Error: Unknown flag: --frobnicate'],
    ['a misspelled flag', ['--no-sesion', 'hello'], 2, '(did you mean --no-session?)'],
    [
      'a value that is not among the choices',
      ['--mode', 'morse', 'hello'],
      2,
      'Flag --mode takes text, json, rpc, rpc-ui, acp (got "morse")',
    ],
    ['a missing value', ['--model'], 2, 'Flag --model needs a value'],
    ['an unknown tool', ['--tools', 'nope', 'hello'], 2, 'Unknown tool: nope. Available: '],
    [
      'a directory of sessions beside a database',
      ['--session-dir', 'a', '--store', 'postgres://127.0.0.1:1/n', 'hello'],
      2,
      '--session-dir has no effect, because sessions are stored in a database',
    ],
    ['a missing directory', ['--cwd', '/nowhere/at/all', 'hello'], 2, 'Working directory does not exist'],
    ['an unknown dialect', ['--mode', 'rpc', '--dialect', 'klingon'], 2, 'Unknown dialect: klingon. Available: omp'],
    ['an unknown model', ['--model', 'nope/none', 'hello'], 1, 'Error: Model not found: nope/none'],
  ])('%s: one line on stderr, nothing on stdout, no file', async (_what, args, code, words) => {
    const directories = createDirectories();
    const outcome = await runProgram(args, '', { directories });
    expect(outcome).toMatchObject({ code, stdout: '' });
    expect(outcome.stderr).toContain(words);
    expect(outcome.stderr.split('\n')).toHaveLength(2);
    expect(listPaths(directories.home)).toEqual([]);
  });

  test('in RPC mode a message argument only causes a warning', async () => {
    const program = startRpc(['--no-session', 'stray words']);
    expect(await program.call({ type: 'get_state' })).toMatchObject({ success: true });
    program.stdin.end();
    const { code, stderr } = await program.exited;
    expect(code).toBe(0);
    expect(stderr).toBe('Message arguments are ignored in RPC mode: stray words\n');
    expect(program.frames[0]).toMatchObject({ type: 'ready' });
  });
});

describe('other flags', () => {
  test('--cwd is the directory of tools', async () => {
    const elsewhere = createTemporaryDirectory();
    const { stdout } = await runProgram(['--cwd', elsewhere, 'run `pwd`']);
    expect(stdout).toContain(elsewhere);
  });

  test('--system-prompt replaces the default prompt, --append-system-prompt extends it', async () => {
    const tokens = async (...args: string[]) => {
      const { stdout } = await runProgram(['--no-session', '--mode', 'json', ...args, 'hello']);
      return Number(/"usage":{"input":(\d+)/.exec(stdout)?.[1]);
    };
    const [standard, replaced, extended] = await Promise.all([
      tokens(),
      tokens('--system-prompt', 'Be brief.'),
      tokens('--append-system-prompt', 'Be very, very brief. '.repeat(100)),
    ]);
    expect(replaced).toBeLessThan(standard);
    expect(extended).toBeGreaterThan(standard + 300);
  });

  test('--tools and --no-tools limit the tools', async () => {
    const some = await runProgram(['--tools', 'read,ls', '--mode', 'json', 'run `echo hi`']);
    expect(some.stdout).not.toContain('tool_execution_start');
    const none = await runProgram(['--no-tools', '--mode', 'json', 'What files are here?']);
    expect(none.stdout).not.toContain('tool_execution_start');
    // The offline model fails if a request needs a missing tool.
    expect([some.code, none.code]).toEqual([1, 1]);
  });

  test('--thinking off disables thinking, --name sets the session name', async () => {
    const program = startRpc(['--thinking', 'off', '--name', 'demo', '--stream', 'delta']);
    expect(await program.call({ type: 'get_state' })).toMatchObject({
      data: { thinkingLevel: 'off', sessionName: 'demo' },
    });
    program.send({ type: 'prompt', message: 'What files are here?' });
    await program.nextFrame({ type: 'agent_settled' });
    expect(JSON.stringify(program.frames)).not.toContain('thinking_');
  });
});

describe('settings', () => {
  test('an invalid value is reported with its line, and the other settings are used', async () => {
    const directories = createDirectories();
    const { writeFileSync } = await import('node:fs');
    writeFileSync(
      `${directories.home}/settings.json`,
      '{\n  // a comment\n  "steeringMode": "sometimes",\n  "followUpMode": "all"\n}',
    );
    const program = startRpc([], { directories });
    expect(await program.call({ type: 'get_state' })).toMatchObject({
      data: { steeringMode: 'one-at-a-time', followUpMode: 'all' },
    });
    program.stdin.end();
    const { stderr } = await program.exited;
    expect(stderr).toMatch(/settings\.json:3: steeringMode must be .*; it is ignored\n$/);
  });
});
