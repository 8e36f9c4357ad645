// Flags that restrict the agent: they apply to every kind of tool, in every mode and dialect. An invalid flag prevents the start.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  createDirectories,
  type Program,
  type ProgramDirectories,
  runProgram,
  startProgram,
  startRpc,
} from '../support/program.ts';
import { type RecordedAnswer, startRecordingProvider } from '../support/recording-provider.ts';
import { listPaths } from '../support/session-files.ts';

const MODEL = ['--model', 'own/m'];

async function withProvider(...answers: RecordedAnswer[]) {
  const directories = createDirectories();
  const provider = await startRecordingProvider(answers);
  provider.writeModelsFile(directories.home);
  return { directories, provider };
}

function extend(programDirectories: ProgramDirectories, code: string): void {
  mkdirSync(join(programDirectories.home, 'extensions'), { recursive: true });
  writeFileSync(join(programDirectories.home, 'extensions', 'own.ts'), `export default (pi) => { ${code} };`);
}

const tool = (name: string) => `pi.registerTool({ name: '${name}', label: 'x', description: 'x',
  parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [{ type: 'text', text: 'done' }] }) });`;

/** Sends one prompt and waits for its end, in each dialect. */
const DIALECTS: Record<string, (program: Program) => Promise<void>> = {
  async omp(program) {
    program.send({ id: 'p', type: 'prompt', message: 'go' });
    await program.nextFrame({ type: 'agent_settled' });
  },
  async pi(program) {
    program.send({ id: 'p', type: 'prompt', message: 'go' });
    await program.nextFrame({ type: 'agent_settled' });
  },
  async 'pi-legacy'(program) {
    program.send({ type: 'prompt', message: 'go' });
    await program.nextFrame({ type: 'agent_end' });
  },
  async opal(program) {
    program.send({ jsonrpc: '2.0', id: 1, method: 'session/start', params: { session_id: 's' } });
    await program.nextFrame((frame) => frame.id === 1);
    program.send({ jsonrpc: '2.0', id: 2, method: 'agent/prompt', params: { session_id: 's', text: 'go' } });
    await program.nextFrame((frame) => (frame.params as { type?: string } | undefined)?.type === 'agent_end');
  },
};

const WRITE = { call: 'write', arguments: { path: 'made.txt', content: 'x' } };

describe('--exclude-tools', () => {
  test.each(Object.entries(DIALECTS))(
    'in the dialect %s: excluded tools are not offered, and calls of them do nothing',
    async (dialect, go) => {
      const { directories, provider } = await withProvider(WRITE, 'ok');
      const program = startRpc(['--dialect', dialect, ...MODEL, '--exclude-tools', 'write', '-xt', 'edit, bash'], {
        directories,
      });
      await go(program);
      expect(existsSync(join(directories.cwd, 'made.txt'))).toBe(false);
      const [names = []] = provider.listOfferedTools();
      expect(names).toContain('read');
      for (const name of ['write', 'edit', 'bash']) expect(names).not.toContain(name);
      program.stdin.end();
      expect(await program.exited).toMatchObject({ code: 0 });
    },
  );

  test.each(['text', 'json'])('in %s mode', async (mode) => {
    const { directories, provider } = await withProvider(WRITE, 'ok');
    await runProgram(['--mode', mode, ...MODEL, '--exclude-tools', 'write', 'go'], '', { directories });
    expect(provider.listOfferedTools()[0]).not.toContain('write');
    expect(existsSync(join(directories.cwd, 'made.txt'))).toBe(false);
  });

  test('applies to tools of extensions, also with setActiveTools', async () => {
    const { directories, provider } = await withProvider('ok');
    extend(
      directories,
      `${tool('deploy')} ${tool('greet')} pi.on('session_start', () => pi.setActiveTools(['deploy', 'greet', 'bash', 'read']));`,
    );
    const program = startRpc([...MODEL, '--exclude-tools', 'deploy,bash'], { directories });
    await DIALECTS.omp?.(program);
    expect(provider.listOfferedTools()).toEqual([['greet', 'read']]);
  });

  test('applies to tools of the host: set_host_tools is rejected', async () => {
    const { directories, provider } = await withProvider('ok');
    extend(directories, tool('deploy'));
    const program = startRpc([...MODEL, '--exclude-tools', 'deploy'], { directories });
    const described = (name: string) => ({ name, description: 'x', parameters: { type: 'object' } });
    expect(await program.call({ type: 'set_host_tools', tools: [described('deploy')] })).toMatchObject({
      success: false,
      error: 'Host tool "deploy" is excluded by --exclude-tools',
    });
    expect(await program.call({ type: 'set_host_tools', tools: [described('open_tab')] })).toMatchObject({
      success: true,
    });
    await DIALECTS.omp?.(program);
    expect(provider.listOfferedTools()[0]).toContain('open_tab');
  });

  test('applies to subagents whose agent file names the tool', async () => {
    const { directories, provider } = await withProvider(
      {
        call: 'task',
        arguments: { agent: 'maker', context: 'c', tasks: [{ id: 't', description: 'make it', args: {} }] },
      },
      WRITE,
      'ok',
    );
    mkdirSync(join(directories.home, 'agents'));
    const agent = '---\nname: maker\ndescription: makes files\ntools: read, write, edit\n---\nMake files.\n';
    writeFileSync(join(directories.home, 'agents', 'maker.md'), agent);
    const program = startRpc([...MODEL, '--exclude-tools', 'write'], { directories });
    await DIALECTS.omp?.(program);
    const [, ofSubagent] = provider.listOfferedTools();
    expect(ofSubagent).toEqual(['edit', 'read']);
    expect(existsSync(join(directories.cwd, 'made.txt'))).toBe(false);
  });

  test('tools that an extension disabled are disabled in subagents', async () => {
    const { directories, provider } = await withProvider(
      { call: 'task', arguments: { agent: 'task', context: 'c', tasks: [{ id: 't', description: 'x', args: {} }] } },
      WRITE,
      'ok',
    );
    extend(directories, "pi.on('session_start', () => pi.setActiveTools(['read', 'task']));");
    await DIALECTS.omp?.(startRpc(MODEL, { directories }));
    expect(provider.listOfferedTools().slice(0, 2)).toEqual([
      ['read', 'task'],
      ['read', 'task'],
    ]);
    expect(existsSync(join(directories.cwd, 'made.txt'))).toBe(false);
  });

  test('without bash a task cannot specify verification commands', async () => {
    const verify = { commands: [{ name: 'x', command: 'touch made.txt; touch $HOME/made.txt' }] };
    const tasks = [{ id: 't', description: 'x', args: {} }];
    const { directories, provider } = await withProvider(
      { call: 'task', arguments: { agent: 'task', context: 'c', tasks, isolated: true, verify } },
      'ok',
    );
    const git = ['-c', 'user.name=t', '-c', 'user.email=t@t'];
    for (const args of [
      ['init', '-q'],
      [...git, 'commit', '-q', '--allow-empty', '-m', 'x'],
    ]) {
      execFileSync('git', args, { cwd: directories.cwd });
    }
    const program = startRpc([...MODEL, '--exclude-tools', 'bash'], { directories });
    await DIALECTS.omp?.(program);
    expect(JSON.stringify(provider.requests[1])).toContain(
      'verify.commands needs the tool bash, which is not available in this session',
    );
    expect(existsSync(join(directories.home, 'made.txt'))).toBe(false);
  });

  test('applies to tools that an opal host names', async () => {
    const { directories } = await withProvider('ok');
    const program = startRpc(['--dialect', 'opal', ...MODEL, '--exclude-tools', 'write'], { directories });
    program.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'session/start',
      params: { session_id: 's', tools: ['read', 'write'] },
    });
    await program.nextFrame((frame) => frame.id === 1);
    program.send({ jsonrpc: '2.0', id: 2, method: 'opal/config/set', params: { session_id: 's', tools: ['write'] } });
    expect(await program.nextFrame((frame) => frame.id === 2)).toMatchObject({
      error: { message: 'Unknown tools in tools list' },
    });
    program.send({ jsonrpc: '2.0', id: 3, method: 'agent/state', params: { session_id: 's' } });
    expect(await program.nextFrame((frame) => frame.id === 3)).toMatchObject({ result: { tools: ['read'] } });
  });
});

describe('--tools for sessions that an opal host opens', () => {
  test.each([
    [['--tools', 'read,ls'], 'bash is not allowed by --tools read,ls'],
    [['--no-tools'], 'read is not allowed by --no-tools'],
  ])('%j limits the tools of a session', async (flags, data) => {
    const program = startRpc(['--dialect', 'opal', ...flags]);
    program.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'session/start',
      params: { session_id: 's', tools: ['read', 'bash'] },
    });
    expect(await program.nextFrame((frame) => frame.id === 1)).toMatchObject({
      error: { code: -32602, message: 'Unknown tools in tools list', data },
    });
  });
});

describe('--no-builtin-tools', () => {
  test.each(['--no-builtin-tools', '-nbt'])('%s keeps the tools of extensions and of the host', async (flag) => {
    const { directories, provider } = await withProvider(WRITE, 'ok');
    extend(directories, tool('greet'));
    const program = startRpc([...MODEL, flag], { directories });
    const described = { name: 'open_tab', description: 'x', parameters: { type: 'object' } };
    await program.call({ type: 'set_host_tools', tools: [described] });
    await DIALECTS.omp?.(program);
    expect(provider.listOfferedTools()[0]).toEqual(['greet', 'open_tab']);
    expect(existsSync(join(directories.cwd, 'made.txt'))).toBe(false);
  });

  test('--tools may name only the remaining tools', async () => {
    const { directories, provider } = await withProvider('ok');
    extend(directories, `${tool('greet')} ${tool('deploy')}`);
    await runProgram(['--no-builtin-tools', '--tools', 'greet', ...MODEL, 'go'], '', { directories });
    expect(provider.listOfferedTools()).toEqual([['greet']]);
    const refused = await runProgram(['--no-builtin-tools', '--tools', 'read', ...MODEL, 'go'], '', { directories });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toBe(
      'Error: --tools includes the built-in tool read, but --no-builtin-tools removes all built-in tools.\n',
    );
  });
});

test.each(['-nt', '--no-tools'])('%s offers no tools', async (flag) => {
  const { directories, provider } = await withProvider('ok');
  await runProgram([flag, ...MODEL, 'go'], '', { directories });
  expect(provider.listOfferedTools()).toEqual([[]]);
});

test('-t is --tools', async () => {
  const { directories, provider } = await withProvider('ok');
  await runProgram(['-t', 'read,ls', ...MODEL, 'go'], '', { directories });
  expect(provider.listOfferedTools()).toEqual([['ls', 'read']]);
});

describe('--no-context-files', () => {
  const SECRET = 'CONTEXT-OF-THE-PROJECT';

  test.each([
    ['omp', '--no-context-files'],
    ['pi', '-nc'],
    ['pi-legacy', '--no-context-files'],
    ['opal', '--no-context-files'],
  ])('%s: %s keeps AGENTS.md and CLAUDE.md out of the request', async (dialect, flag) => {
    const { directories, provider } = await withProvider('ok');
    writeFileSync(join(directories.cwd, 'AGENTS.md'), SECRET);
    writeFileSync(join(directories.home, 'CLAUDE.md'), SECRET);
    const program = startRpc(['--dialect', dialect, ...MODEL, flag], { directories });
    await DIALECTS[dialect]?.(program);
    expect(provider.requests).toHaveLength(1);
    expect(JSON.stringify(provider.requests)).not.toContain(SECRET);
    expect(program.frames.map((frame) => JSON.stringify(frame)).join()).not.toContain('AGENTS.md');
  });

  test('without the flag they are sent', async () => {
    const { directories, provider } = await withProvider('ok');
    writeFileSync(join(directories.cwd, 'AGENTS.md'), SECRET);
    await runProgram([...MODEL, 'go'], '', { directories });
    expect(JSON.stringify(provider.requests)).toContain(SECRET);
  });
});

describe('--approval-mode', () => {
  const RUN = { call: 'bash', arguments: { command: 'touch made.txt' } };

  test.each([
    ['always-ask', WRITE, true],
    ['always-ask', RUN, true],
    ['always-ask', { call: 'ls', arguments: {} }, false],
    ['write', WRITE, false],
    ['write', RUN, true],
    ['yolo', RUN, false],
    ['always', { call: 'ls', arguments: {} }, true],
    ['on-execute', RUN, true],
  ] as const)('%s: %j asks: %s', async (mode, call, asks) => {
    const { directories } = await withProvider(call, 'ok');
    const program = startRpc([...MODEL, '--set', 'approval=never', '--approval-mode', mode], { directories });
    program.send({ id: 'p', type: 'prompt', message: 'go' });
    const first = await program.nextFrame(
      ({ type, method }) => type === 'tool_execution_end' || (type === 'extension_ui_request' && method === 'select'),
    );
    expect(first.type).toBe(asks ? 'extension_ui_request' : 'tool_execution_end');
    if (!asks) return;
    expect(existsSync(join(directories.cwd, 'made.txt'))).toBe(false);
    program.send({ type: 'extension_ui_response', id: first.id, value: 'deny' });
    expect(await program.nextFrame({ type: 'tool_execution_end' })).toMatchObject({ isError: true });
    expect(existsSync(join(directories.cwd, 'made.txt'))).toBe(false);
  });

  test('in print mode no dialog can be shown, so the call is denied', async () => {
    const { directories } = await withProvider(WRITE, 'ok');
    await runProgram([...MODEL, '--approval-mode', 'always-ask', 'go'], '', { directories });
    expect(existsSync(join(directories.cwd, 'made.txt'))).toBe(false);
  });

  test('a trusted project cannot override it', async () => {
    const { directories } = await withProvider(WRITE, 'ok');
    mkdirSync(join(directories.cwd, '.parley'));
    writeFileSync(join(directories.cwd, '.parley', 'settings.json'), '{"approval": "never"}');
    const program = startRpc([...MODEL, '--approval-mode', 'always-ask'], { directories });
    const trust = await program.nextFrame({ method: 'confirm' });
    program.send({ type: 'extension_ui_response', id: trust.id, confirmed: true });
    await program.nextFrame({ type: 'notice', level: 'info' });
    program.send({ id: 'p', type: 'prompt', message: 'go' });
    expect(await program.nextFrame({ type: 'extension_ui_request' })).toMatchObject({
      method: 'select',
      title: 'Allow write?',
    });
    const again = await runProgram([...MODEL, '--approve', '--approval-mode', 'always-ask', 'go'], '', { directories });
    expect(again.code).toBe(0);
    expect(existsSync(join(directories.cwd, 'made.txt'))).toBe(false);
  });

  test('--auto-approve and --yolo disable approval, and exclude the other modes', async () => {
    const { directories } = await withProvider(WRITE, 'ok');
    writeFileSync(join(directories.home, 'settings.json'), '{"approval": "always"}');
    await runProgram([...MODEL, '--yolo', 'go'], '', { directories });
    expect(existsSync(join(directories.cwd, 'made.txt'))).toBe(true);
    const both = await runProgram([...MODEL, '--auto-approve', '--approval-mode', 'write', 'go'], '', { directories });
    expect(both).toMatchObject({
      code: 2,
      stderr: 'Error: --auto-approve and --approval-mode write exclude each other.\n',
    });
  });
});

describe('--approve and --no-approve set trust for one run', () => {
  const createProject = () => {
    const made = createDirectories();
    mkdirSync(join(made.cwd, '.parley', 'prompts'), { recursive: true });
    writeFileSync(join(made.cwd, '.parley', 'prompts', 'greet.md'), 'say `hi`');
    return made;
  };
  const commandsWith = async (...flags: string[]) => {
    const { data } = await startRpc(flags, { directories: createProject() }).call({ type: 'get_commands' });
    return (data as { commands: { name: string }[] }).commands.map(({ name }) => name);
  };

  test.each([['--approve'], ['-a'], ['--trust']])('%s', async (flag) => {
    expect(await commandsWith(flag)).toEqual(['greet']);
  });

  test.each([['--no-approve'], ['-na'], ['--no-trust']])('%s', async (flag) => {
    expect(await commandsWith(flag)).toEqual([]);
  });

  test('both together are an error', async () => {
    const outcome = await runProgram(['--mode', 'rpc', '--approve', '--no-approve']);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('--session-id', () => {
  test('creates the session, and continues it the next time', async () => {
    const directories = createDirectories();
    for (const round of [1, 2]) {
      const program = startRpc(['--model', 'parley/offline', '--session-id', 'bot.1'], { directories });
      expect(await program.call({ type: 'get_state' })).toMatchObject({
        data: { sessionId: 'bot.1', messageCount: round === 1 ? 0 : 2 },
      });
      program.send({ id: 'p', type: 'prompt', message: 'say `hi`' });
      await program.nextFrame({ type: 'agent_settled' });
      program.stdin.end();
      expect(await program.exited).toMatchObject({ code: 0 });
    }
    expect(listPaths(directories.home).filter((path) => path.endsWith('.jsonl'))).toHaveLength(1);
  });

  test('the value is a complete id, not a prefix or a path', async () => {
    const directories = createDirectories();
    await runProgram(['--model', 'parley/offline', '--session-id', 'bot-22', 'say `hi`'], '', { directories });
    writeFileSync(join(directories.cwd, 'bot'), 'not a session');
    const program = startRpc(['--session-id', 'bot'], { directories });
    expect(await program.call({ type: 'get_state' })).toMatchObject({ data: { sessionId: 'bot', messageCount: 0 } });
  });

  test('with --fork it is the id of the new session', async () => {
    const directories = createDirectories();
    await runProgram(['--model', 'parley/offline', '--session-id', 'first', 'say `hi`'], '', { directories });
    const copy = startRpc(['--fork', 'first', '--session-id', 'second'], { directories });
    expect(await copy.call({ type: 'get_state' })).toMatchObject({ data: { sessionId: 'second', messageCount: 2 } });
    const taken = await runProgram(['--fork', 'first', '--session-id', 'first', 'go'], '', { directories });
    expect(taken).toMatchObject({ code: 2 });
    expect(taken.stderr).toContain('--session-id first is taken');
  });

  test.each([
    ['../x', [], 'got "../x"'],
    ['-x', [], 'got "-x"'],
    ['', [], 'got ""'],
    ['x'.repeat(129), [], 'at most 128'],
    ['ok', ['--continue'], '--session-id and --continue exclude each other'],
    ['ok', ['--session', 'y'], '--session-id and --session exclude each other'],
  ])('%j %j is rejected', async (id, more, words) => {
    const directories = createDirectories();
    const outcome = await runProgram(['--mode', 'rpc', `--session-id=${id}`, ...more], '', { directories });
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toContain(words);
    expect(listPaths(directories.home)).toEqual([]);
  });
});

test('--no-session overrides session: true of an opal host', async () => {
  const program = startRpc(['--dialect', 'opal', '--no-session', '--model', 'parley/offline']);
  program.send({ jsonrpc: '2.0', id: 1, method: 'session/start', params: { session_id: 's', session: true } });
  await program.nextFrame((frame) => frame.id === 1);
  program.send({ jsonrpc: '2.0', id: 2, method: 'agent/prompt', params: { session_id: 's', text: 'say `hi`' } });
  await program.nextFrame((frame) => (frame.params as { type?: string } | undefined)?.type === 'agent_end');
  expect(listPaths(program.home).filter((path) => path.endsWith('.jsonl'))).toEqual([]);
});

describe('invalid restrictions prevent the start', () => {
  const MODES = [[], ['--mode', 'json'], ...Object.keys(DIALECTS).map((name) => ['--mode', 'rpc', '--dialect', name])];
  const WRONG: [flags: string[], words: string][] = [
    [['--exclude-toosl', 'write'], 'Error: Unknown flag: --exclude-toosl (did you mean --exclude-tools?)\n'],
    [['--no-network'], 'Error: Unknown flag: --no-network\n'],
    [['--sandbox=none'], 'Error: Flag --sandbox takes off, workspace-write, read-only (got "none")'],
    [['--deny', 'bash('], 'Error: --deny: permissions.deny[0] must be TOOL or TOOL(PATTERN) (got "bash(")'],
    [['-z'], 'Error: Unknown flag: -z\n'],
    [['--exclude-tools', 'wirte'], 'Error: Unknown tool in --exclude-tools: wirte (did you mean write?). Available: '],
    [['--exclude-tools', 'shell'], 'Error: Unknown tool in --exclude-tools: shell. Available: '],
    [['--exclude-tools', ' , '], 'Error: Flag --exclude-tools needs at least one name (got " , ")\n'],
    [['--tools', 'raed'], 'Error: Unknown tool: raed. Available: '],
    [
      ['--approval-mode', 'sometimes'],
      'Error: Flag --approval-mode takes always-ask, write, yolo, read-only, always, ',
    ],
    [['--set', 'approval=nonsense'], 'Error: --set: approval must be "read-only" or '],
  ];
  test.each(WRONG.flatMap(([flags, words]) => MODES.map((mode) => [flags, mode, words] as const)))(
    '%j in %j',
    async (flags, mode, words) => {
      const directories = createDirectories();
      const message = mode.includes('rpc') ? [] : ['say `hi`'];
      const program = startProgram([...mode, ...flags, ...message], { directories });
      const outcome = await program.exited;
      expect(outcome).toMatchObject({ code: 2, stdout: '' });
      expect(outcome.stderr).toContain(words);
      expect(readdirSync(directories.cwd)).toEqual([]);
    },
  );

  test.each([
    ['{"approval": "alwyas"}', 'settings.json:1: approval must be "read-only" or '],
    ['{"aproval": "always"}', 'settings.json:1: unknown setting aproval (did you mean approval?)'],
    ['{"tools": {"approvalMode": "always-ask"}}', 'unknown setting tools.approvalMode (use approval instead)'],
    ['{"defaultTools": ["read"]}', 'unknown setting defaultTools (use --tools instead)'],
    ['{"task.budget.maxCostUsd": "0.5"}', 'task.budget.maxCostUsd must be a number (got "0.5")'],
    ['{"task": {"budget": 5}}', 'task.budget must be an object (got number)'],
    ['{"approval": "always"', 'line 1 is not JSON'],
  ])('settings.json: %s', async (text, words) => {
    const directories = createDirectories();
    writeFileSync(join(directories.home, 'settings.json'), text);
    for (const args of [['say `hi`'], ['--mode', 'rpc'], ['--mode', 'rpc', '--dialect', 'opal']]) {
      const outcome = await startProgram(args, { directories }).exited;
      expect(outcome).toMatchObject({ code: 2, stdout: '' });
      expect(outcome.stderr).toContain(words);
      expect(outcome.stderr).toContain('It may restrict what the agent does, so nothing was started.');
    }
  });

  test('a directory named settings.json only causes a warning', async () => {
    const directories = createDirectories();
    mkdirSync(join(directories.home, 'settings.json'));
    const outcome = await runProgram(['--model', 'parley/offline', 'say `hi`'], '', { directories });
    expect(outcome).toMatchObject({ code: 0, stdout: 'hi\n' });
    expect(outcome.stderr).toContain('settings.json: is a directory, not a file; the file is ignored');
  });

  test('a project with an invalid restriction stays untrusted when the host trusts it', async () => {
    const directories = createDirectories();
    mkdirSync(join(directories.cwd, '.parley'));
    writeFileSync(join(directories.cwd, '.parley', 'settings.json'), '{"approval": "alwyas", "steeringMode": "all"}');
    const program = startRpc([], { directories });
    const trust = await program.nextFrame({ method: 'confirm' });
    program.send({ type: 'extension_ui_response', id: trust.id, confirmed: true });
    const { message } = await program.nextFrame({ type: 'notice', level: 'warning' });
    expect(message).toContain('The project stays untrusted in this run.');
    expect(await program.call({ type: 'get_state' })).toMatchObject({ data: { steeringMode: 'one-at-a-time' } });
  });

  test('an invalid restriction can be diagnosed with doctor and fixed with config set', async () => {
    const directories = createDirectories();
    writeFileSync(join(directories.home, 'settings.json'), '{"approval": "alwyas"}');
    const doctor = await runProgram(['doctor'], '', { directories });
    expect(doctor).toMatchObject({ code: 1, stderr: '' });
    expect(doctor.stdout).toContain('approval must be "read-only"');
    expect(await runProgram(['config', 'set', 'approval', 'always'], '', { directories })).toMatchObject({ code: 0 });
    expect(await runProgram(['--model', 'parley/offline', 'say `hi`'], '', { directories })).toMatchObject({ code: 0 });
  });

  test('opal: an invalid setting that would prevent later starts is not saved', async () => {
    const program = startRpc(['--dialect', 'opal']);
    program.send({ jsonrpc: '2.0', id: 1, method: 'settings/save', params: { settings: { aproval: 'always' } } });
    expect(await program.nextFrame((frame) => frame.id === 1)).toHaveProperty('error');
    expect(existsSync(join(program.home, 'settings.json'))).toBe(false);
  });
});

test('flags of other programs without effect are accepted', async () => {
  const flags = ['--no-lsp', '--no-pty', '--no-title', '--no-themes', '--offline', '--verbose', '--use-theme', 'dark'];
  const program = startRpc([...flags, '--tui-mode', 'regular']);
  expect(await program.call({ type: 'get_state' })).toMatchObject({ success: true });
  program.stdin.end();
  expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
});

describe('an invalid rule or host prevents the start, and no call runs', () => {
  test.each([
    ['--allow', 'edit([)'],
    ['--deny', "bash(echo 'x)"],
    ['--set', 'permissions.ask=["edit([)"]'],
    ['--set', 'sandbox.allowedHosts=["a b"]'],
  ])('%s %s', async (flag, value) => {
    const { code, stdout, stderr } = await runProgram(['-p', flag, value, 'run `touch ran`']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^Error: --(?:allow|deny|set): (?:The permission rule "|sandbox\.allowedHosts: "a b" is not a host)/,
    );
  });

  test('the file of a trusted project', async () => {
    const directories = createDirectories();
    mkdirSync(join(directories.cwd, '.parley'));
    writeFileSync(join(directories.cwd, '.parley', 'settings.json'), '{"permissions.deny":["edit([)"]}');
    const { code, stderr } = await runProgram(['-p', '--trust', 'run `touch ran`'], '', { directories });
    expect(code).toBe(2);
    expect(stderr).toMatch(/\.parley\/settings\.json:1: The permission rule "edit\(\[\)" .*nothing was started/);
    expect(existsSync(join(directories.cwd, 'ran'))).toBe(false);
  });
});
