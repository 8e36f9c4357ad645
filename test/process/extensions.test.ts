// The example extensions, and other extensions, in the built program.
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { KEY, startAnthropicMessages } from '../llm/servers/anthropic-messages.ts';
import {
  createDirectories,
  type ProgramDirectories,
  type ProgramOptions,
  runProgram,
  startRpc,
} from '../support/program.ts';

const examples = join(import.meta.dirname, '../../examples/extensions');
const example = (name: string) => ['-e', join(examples, `${name}.ts`)];

function withExtension(code: string): ProgramDirectories {
  const directories = createDirectories();
  mkdirSync(join(directories.home, 'extensions'), { recursive: true });
  writeFileSync(join(directories.home, 'extensions', 'own.ts'), code);
  return directories;
}

const toolEnd = { type: 'tool_execution_end' };

test('permission gate: denied, then allowed', async () => {
  const program = startRpc(example('permission-gate'));
  for (const [confirmed, isError] of [
    [false, true],
    [true, false],
  ] as const) {
    writeFileSync(join(program.cwd, 'victim'), '');
    program.send({ type: 'prompt', message: 'run `rm -rf victim`' });
    const dialog = await program.nextFrame({ type: 'extension_ui_request', method: 'confirm' });
    expect(dialog).toMatchObject({ message: 'rm -rf victim', timeout: 60_000 });
    program.send({ type: 'extension_ui_response', id: dialog.id, confirmed });
    expect(await program.nextFrame(toolEnd)).toMatchObject({ isError });
    await program.nextFrame({ type: 'agent_settled' });
    expect(existsSync(join(program.cwd, 'victim'))).toBe(!confirmed);
  }
});

test('permission gate in print mode: denied, because no dialog can be shown', async () => {
  const directories = createDirectories();
  writeFileSync(join(directories.cwd, 'victim'), '');
  await runProgram([...example('permission-gate'), 'run `rm -rf victim`'], '', { directories });
  expect(existsSync(join(directories.cwd, 'victim'))).toBe(true);
});

test('custom tool, status widget and protected paths together, loaded from the user directory', async () => {
  const directories = createDirectories();
  for (const name of ['custom-tool', 'status-widget', 'protected-paths']) {
    cpSync(join(examples, `${name}.ts`), join(directories.home, 'extensions', `${name}.ts`), { recursive: true });
  }
  const program = startRpc([], { directories });
  program.send({ type: 'prompt', message: 'run `echo hello`' });
  expect(await program.nextFrame({ method: 'setStatus' })).toMatchObject({ statusKey: 'agent', statusText: 'working' });
  expect(await program.nextFrame({ method: 'setWidget' })).toMatchObject({ widgetLines: ['bash: 1'] });
  expect(await program.nextFrame({ method: 'setStatus' })).not.toHaveProperty('statusText');
  program.send({ type: 'prompt', message: 'write "x" to .env' });
  expect(await program.nextFrame(toolEnd)).toMatchObject({ isError: true });
  await program.nextFrame({ type: 'agent_settled' });
  expect(existsSync(join(directories.cwd, '.env'))).toBe(false);
});

test('custom provider: selected with --model', async () => {
  const outcome = await runProgram([...example('custom-provider'), '--model', 'echo/parrot', 'Good morning']);
  expect(outcome).toMatchObject({ code: 0, stdout: 'Echo: Good morning\n' });
});

test('custom tool: called by a model of an extension', async () => {
  const directories = withExtension(`export default (pi) => pi.registerProvider('caller', {
    models: [{ id: 'one' }],
    async *streamSimple(model, { messages }) {
      const result = messages.find((message) => message.role === 'toolResult');
      const call = { type: 'toolCall', id: 'c1', name: 'count_words', arguments: { text: 'a b a', unique: 'true' } };
      const content = result ? [{ type: 'text', text: 'Counted ' + result.content[0].text }] : [call];
      const message = { role: 'assistant', content, stopReason: result ? 'stop' : 'toolUse' };
      yield { type: 'start', partial: { ...message, content: [] } };
      yield { type: 'done', reason: message.stopReason, message };
    },
  });`);
  const outcome = await runProgram([...example('custom-tool'), '--model', 'caller/one', 'Count'], '', { directories });
  expect(outcome).toMatchObject({ code: 0, stdout: 'Counted 2\n' });
});

test('TypeBox: schemas, checks and compiled checks under both names', async () => {
  const directories = withExtension(`
  import Typebox, { Type, type Static } from 'typebox';
  import { Compile } from 'typebox/compile';
  import { Value } from 'typebox/value';
  import { Type as OldType } from '@sinclair/typebox';
  import { Value as OldValue } from '@sinclair/typebox/value';
  import { TypeCompiler } from '@sinclair/typebox/compiler';
  import { StringEnum, Type as AiType } from '@mariozechner/pi-ai';
  const Tree = Type.Cyclic({ Node: Type.Object({ name: Type.String(), children: Type.Array(Type.Ref('Node')) }) }, 'Node');
  const OldTree = OldType.Recursive((Self) => OldType.Object({ children: OldType.Array(Self) }));
  const leaf = { name: 'leaf', children: [] };
  const Args = Type.Object({ size: StringEnum(['small', 'large']), id: Type.Union([Type.Integer(), Type.Literal('all')]), tags: Type.Optional(Type.Record(Type.String(), Type.Number())) });
  export default (pi) => {
    pi.registerTool({ name: 'resize', description: 'Resizes.', parameters: Args, execute: async () => 'done' });
    pi.registerCommand('check', { handler(_, ctx) {
      ctx.ui.notify(JSON.stringify([
        Value.Check(Tree, { name: 'root', children: [leaf] }), Value.Check(Tree, { name: 'root', children: [{}] }), Value.Errors(Args, { size: 'huge', id: 1 })[0].instancePath,
        Compile(Args).Check({ size: 'small', id: 'all' }), Compile(Args).Check({ size: 'small', id: 'some' }), Value.Convert(Args, { size: 'small', id: '7' }).id, Value.Create(Type.Object({ n: Type.Number() })),
        OldValue.Check(OldTree, { children: [{ children: [] }] }), OldValue.Check(OldTree, { children: [1] }), OldValue.Errors(Args, {}).First().path, OldValue.Parse(OldType.Object({ n: OldType.Number() }), { n: '5', extra: 1 }), TypeCompiler.Compile(OldType.Null()).Check(null),
        AiType === Type, pi.typebox.Type === Type, Typebox.String().type, pi.getAllTools().find(({ name }) => name === 'resize').parameters,
      ]));
    } });
  };`);
  const program = startRpc([], { directories });
  program.send({ type: 'prompt', message: '/check' });
  const { message } = await program.nextFrame({ method: 'notify' });
  const parameters = {
    type: 'object',
    required: ['size', 'id'],
    properties: {
      size: { type: 'string', enum: ['small', 'large'] },
      id: { anyOf: [{ type: 'integer' }, { type: 'string', const: 'all' }] },
      tags: { type: 'object', patternProperties: { '^.*$': { type: 'number' } } },
    },
  };
  expect(JSON.parse(message as string)).toEqual([
    ...[true, false, '/size', true, false, 7, { n: 0 }],
    ...[true, false, '/size', { n: 5 }, true],
    ...[true, true, 'string', parameters],
  ]);
});

test('before_provider_request: the changed payload is sent', async () => {
  const directories = withExtension(`export default (pi) => {
    pi.on('before_provider_request', (event) => ({ ...event.payload, metadata: { by: 'extension' } }));
  };`);
  const bodies: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(JSON.parse(await text(request)));
    response.writeHead(400).end('enough');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const own = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    api: 'openai-completions',
    apiKey: 'sk-none',
    models: [{ id: 'm' }],
  };
  writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers: { own } }));
  await runProgram(['--model', 'own/m', 'Hello'], '', { directories });
  expect(bodies).toMatchObject([{ model: 'm', metadata: { by: 'extension' } }]);
});

test('before_provider_headers and after_provider_response: headers without keys, then the status', async () => {
  const directories = withExtension(`export default (pi) => {
    pi.on('before_provider_headers', ({ headers }, ctx) => {
      ctx.ui.notify(JSON.stringify(headers));
      headers['X-Session'] = ctx.sessionManager.getSessionId();
      headers['x-remove'] = null;
      headers['user-agent'] = null;
    });
    pi.on('after_provider_response', ({ status, headers }, ctx) => ctx.ui.notify(status + ' ' + headers['x-limit']));
  };`);
  const received: import('node:http').IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers);
    response.writeHead(429, { 'X-Limit': '7' }).end('enough');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const headers = { 'x-remove': '1', 'x-stay': '2', 'x-auth-token': 'secret-token-value' };
  const connection = { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'sk-secret-value', headers, models: [{ id: 'm' }] };
  const providers = {
    wire: { ...connection, api: 'openai-completions' },
    sdk: { ...connection, api: 'google-generative-ai' },
  };
  writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers }));
  writeFileSync(join(directories.home, 'settings.json'), JSON.stringify({ retry: { enabled: false } }));
  for (const provider of ['wire', 'sdk']) {
    const program = startRpc(['--model', `${provider}/m`], { directories });
    program.send({ type: 'prompt', message: 'Hello' });
    const { message } = (await program.nextFrame({ method: 'notify' })) as unknown as { message: string };
    expect(JSON.parse(message)).toMatchObject({ 'x-remove': '1', 'x-stay': '2', 'content-type': 'application/json' });
    expect(message).not.toContain('secret');
    expect(await program.nextFrame({ method: 'notify' })).toMatchObject({ message: '429 7' });
    await program.nextFrame({ type: 'agent_settled' });
    const sent = received.pop();
    expect(sent).toMatchObject({
      'x-session': expect.stringMatching(/-/),
      'x-stay': '2',
      'x-auth-token': 'secret-token-value',
    });
    expect(sent).not.toHaveProperty('x-remove');
    expect(JSON.stringify(sent)).toContain('sk-secret-value');
  }
});

test('a package given to -e: its extensions, skills and prompt templates', async () => {
  const directories = createDirectories();
  const files = {
    'pack/package.json': JSON.stringify({
      pi: { extensions: ['./code', '!code/old.ts'], skills: ['know'], prompts: ['texts/*.md'] },
    }),
    'pack/code/own.ts': `export default (pi) => pi.registerCommand('own', { handler(_, ctx) {
      ctx.ui.notify(JSON.stringify(pi.getCommands().map(({ name, sourceInfo }) => [name, sourceInfo.origin, sourceInfo.source])));
    } });`,
    'pack/code/old.ts': `throw new Error('excluded');`,
    'pack/know/plan/SKILL.md': '---\nname: plan\ndescription: Plans.\n---\nPlan.',
    'pack/texts/shout.md': 'say `LOUD $1`',
    'conventional/skills/help/SKILL.md': '---\nname: help\ndescription: Helps.\n---\nHelp.',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(directories.cwd, path, '..'), { recursive: true });
    writeFileSync(join(directories.cwd, path), content);
  }
  const program = startRpc(['-e', 'pack', '-e', 'conventional'], { directories });
  program.send({ type: 'prompt', message: '/own' });
  const { message } = (await program.nextFrame({ method: 'notify' })) as unknown as { message: string };
  expect(JSON.parse(message)).toEqual([
    ['own', 'package', 'cli'],
    ['shout', 'top-level', 'cli'],
    ['skill:plan', 'top-level', 'cli'],
    ['skill:help', 'top-level', 'cli'],
  ]);
  program.send({ type: 'prompt', message: '/shout hello' });
  expect(JSON.stringify(await program.nextFrame({ type: 'agent_end' }))).toContain('"text":"LOUD hello"');
});

test('slash command with dialogs and its own flag', async () => {
  const program = startRpc([...example('slash-command'), '--todo-kind', 'chore']);
  const commands = await program.call({ type: 'get_commands' });
  expect(commands).toMatchObject({ data: { commands: [{ name: 'todo', source: 'extension', location: 'path' }] } });
  program.send({ id: 'p', type: 'prompt', message: '/todo' });
  expect(await program.nextFrame({ id: 'p' })).toMatchObject({ success: true });
  const what = await program.nextFrame({ method: 'input' });
  program.send({ type: 'extension_ui_response', id: what.id, value: 'sweep' });
  const when = await program.nextFrame({ method: 'select' });
  program.send({ type: 'extension_ui_response', id: when.id, value: 'today' });
  expect(await program.nextFrame({ method: 'notify' })).toMatchObject({ message: 'Noted chore: sweep (today)' });
  program.stdin.end();
  const { code, stderr } = await program.exited;
  expect(code).toBe(0);
  expect(stderr).not.toContain('todo-kind');
});

describe('flags of an extension in the user directory', () => {
  const flags = `export default (pi) => {
    pi.registerFlag('plan', { type: 'boolean' });
    pi.registerFlag('kind', { type: 'string', default: 'none' });
    pi.on('input', (event) => ({ action: 'transform', text: 'say \`' + [pi.getFlag('plan'), pi.getFlag('kind'), event.text] + '\`' }));
  };`;

  test.each([
    [['--plan', 'hello', '--kind', 'chore'], 'true,chore,hello\n'],
    [['hello', '--kind=x', '--plan'], 'true,x,hello\n'],
    [['hello'], ',none,hello\n'],
  ])('in text mode: %j', async (args, stdout) => {
    const outcome = await runProgram(['--model', 'parley/offline', ...args], '', { directories: withExtension(flags) });
    expect(outcome).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  test('in text mode an unknown flag is an error', async () => {
    const outcome = await runProgram(['--plam', 'hello'], '', { directories: withExtension(flags) });
    expect(outcome).toMatchObject({ code: 2, stdout: '', stderr: 'Error: Unknown flag: --plam\n' });
  });

  test('a flag of an extension that cannot be loaded: both errors are reported', async () => {
    const directories = withExtension('throw new Error("out of order"); export default () => {};');
    const outcome = await runProgram(['--plan', 'hello'], '', { directories });
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    const [broken, flag] = outcome.stderr.split('\n');
    expect(broken).toContain('own.ts: Failed to load extension: out of order');
    expect(flag).toBe('Error: Unknown flag: --plan');
  });

  test('in RPC mode an unknown flag is an error, and no frame is written', async () => {
    const program = startRpc(['--kind', 'chore', '--unregistered'], { directories: withExtension(flags) });
    program.send({ type: 'get_state' });
    expect(await program.exited).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'Error: Unknown flag: --unregistered\n',
    });
  });

  test('in RPC mode', async () => {
    const program = startRpc(['--kind', 'chore', '--plan'], { directories: withExtension(flags) });
    program.send({ type: 'prompt', message: 'hi' });
    await program.nextFrame({ type: 'agent_settled' });
    const { data } = await program.call({ type: 'get_last_assistant_text' });
    expect(data).toEqual({ text: 'true,chore,hi' });
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a command that never ends', () => {
  const endless = `export default (pi) => {
    const running = new Promise((resolve) => pi.on('agent_start', resolve));
    pi.registerCommand('endless', { handler: (_, ctx) => { ctx.ui.notify('begun'); return new Promise(() => {}); } });
    pi.registerCommand('work', { async handler(_, ctx) {
      pi.sendUserMessage('run \`sleep 3.5\`');
      ctx.ui.notify('begun');
      await running;
      await ctx.waitForIdle();
      await ctx.newSession();
      pi.setSessionName('after the work');
    } });
  };`;
  const limited = (ms: number) => ['--set', `extensions.hookTimeout=${ms}`];

  test('does not prevent the exit of the program after the host has disconnected', async () => {
    const program = startRpc(limited(150), { directories: withExtension(endless) });
    program.send({ type: 'prompt', message: '/endless' });
    await program.nextFrame({ method: 'notify' });
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0 });
    const error =
      'The command did not finish within 0.15 s (extensions.hookTimeout) after the host disconnected; it was abandoned';
    expect(program.frames.at(-1)).toMatchObject({ type: 'prompt_result', agentInvoked: false });
    expect(program.frames.at(-2)).toEqual({
      type: 'extension_error',
      extensionPath: 'command:endless',
      event: 'command',
      error,
    });
  });

  test('the time of a run that the command waits for does not count', async () => {
    // Shorter than the run, and long enough for the rest of the command on a slow machine.
    const program = startRpc(limited(3000), { directories: withExtension(endless) });
    program.send({ type: 'prompt', message: '/work' });
    await program.nextFrame({ method: 'notify' });
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0 });
    expect(program.frames.filter(({ type }) => type === 'extension_error')).toEqual([]);
    expect(program.frames.some(({ type }) => type === 'agent_settled')).toBe(true);
  });
});

test('unregisterProvider removes the provider', async () => {
  const directories = withExtension(`export default (pi) => {
    pi.registerProvider('own', { baseUrl: 'http://127.0.0.1:9', api: 'openai-completions', apiKey: 'none', models: [{ id: 'one' }] });
    pi.registerCommand('away', { handler(_, ctx) { pi.unregisterProvider('own'); ctx.ui.notify('away'); } });
  };`);
  const program = startRpc([], { directories });
  await program.call({ type: 'get_commands' });
  const choice = { type: 'set_model', provider: 'own', modelId: 'one' };
  expect(await program.call(choice)).toMatchObject({ success: true, data: { id: 'one' } });
  program.send({ type: 'prompt', message: '/away' });
  await program.nextFrame({ method: 'notify' });
  expect(await program.call(choice)).toMatchObject({ success: false, error: 'Model not found: own/one' });
});

test('custom compaction', async () => {
  const program = startRpc([...example('custom-compaction'), '--set', 'compaction.keepRecentTokens=1']);
  for (const message of ['Hello', 'Hello again']) {
    program.send({ type: 'prompt', message });
    await program.nextFrame({ type: 'agent_settled' });
  }
  expect(await program.call({ type: 'compact' })).toMatchObject({ data: { summary: 'The user asked:\n- Hello' } });
});

test('output of an extension does not reach stdout', async () => {
  const directories = withExtension(`
    import { spawnSync } from 'node:child_process';
    import { writeSync } from 'node:fs';
    console.log('from the top');
    export default (pi) => {
      process.stdout.write('from the factory\\n');
      pi.on('session_start', (_, ctx) => {
        writeSync(1, 'raw\\n');
        spawnSync('echo', ['child'], { stdio: 'inherit' });
        ctx.ui.notify('begun');
      });
    };`);
  const program = startRpc([], { directories });
  await program.nextFrame({ method: 'notify' });
  program.stdin.end();
  const { code, stdout, stderr } = await program.exited;
  expect(code).toBe(0);
  for (const line of stdout.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  for (const output of ['from the top', 'from the factory', 'raw', 'child']) expect(stderr).toContain(output);
});

test('get_state is answered while a session_start handler waits for a dialog', async () => {
  const directories = withExtension(
    "export default (pi) => { pi.on('session_start', (_, ctx) => ctx.ui.confirm('?', '')); };",
  );
  const program = startRpc([], { directories });
  await program.nextFrame({ method: 'confirm' });
  expect(await program.call({ type: 'get_state' })).toMatchObject({ success: true });
  // The dialog returns its default when the host disconnects.
  program.stdin.end();
  expect((await program.exited).code).toBe(0);
});

test('a dialog of a tool_call handler returns its default when the run is aborted', async () => {
  const directories = withExtension(`export default (pi) => {
    pi.on('tool_call', async (_, ctx) => {
      const allowed = await ctx.ui.confirm('May it?', '');
      ctx.ui.notify('allowed: ' + allowed);
      return { block: !allowed };
    });
  };`);
  const program = startRpc([], { directories });
  program.send({ type: 'prompt', message: 'run `touch made`' });
  await program.nextFrame({ method: 'confirm' });
  program.send({ type: 'abort' });
  await program.nextFrame({ method: 'notify', message: 'allowed: false' });
  await program.nextFrame({ type: 'response', command: 'abort', success: true });
  expect(existsSync(join(directories.cwd, 'made'))).toBe(false);
});

test('notifications reach the host after it has closed stdin', async () => {
  const directories = withExtension(`export default (pi) => {
    pi.registerCommand('ask', { handler: async (_, ctx) => ctx.ui.notify('answer: ' + (await ctx.ui.confirm('?', ''))) });
  };`);
  const program = startRpc([], { directories });
  program.send({ type: 'prompt', message: '/ask' });
  await program.nextFrame({ method: 'confirm' });
  program.stdin.end();
  const { code, stdout } = await program.exited;
  expect(code).toBe(0);
  expect(stdout).toContain('"message":"answer: false"');
});

test('ctx.shutdown() ends the process after the session_shutdown handlers', async () => {
  const directories = withExtension(`export default (pi) => {
    pi.registerCommand('quit', { handler: (_, ctx) => ctx.shutdown() });
    pi.on('session_shutdown', (_, ctx) => pi.exec('sh', ['-c', 'echo bye > bye']));
  };`);
  const program = startRpc([], { directories });
  expect(await program.call({ type: 'prompt', message: '/quit' })).toMatchObject({ success: true });
  expect((await program.exited).code).toBe(0);
  expect(readFileSync(join(directories.cwd, 'bye'), 'utf8')).toBe('bye\n');
});

test('extensions of a project run only if it is trusted', async () => {
  const directories = createDirectories();
  const folder = join(directories.cwd, '.pi', 'extensions');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'spy.ts'),
    "import { writeFileSync } from 'node:fs'; writeFileSync('marker', ''); export default () => {};",
  );
  const run = (args: readonly string[], options: ProgramOptions = { directories }) =>
    runProgram([...args, 'Hello'], '', options);
  await run([]);
  await run(['--mode', 'json']);
  expect(existsSync(join(directories.cwd, 'marker'))).toBe(false);
  await run(['--trust']);
  expect(existsSync(join(directories.cwd, 'marker'))).toBe(true);
});

test('--no-extensions loads none; an invalid extension is reported on stderr', async () => {
  const directories = withExtension('export default 1;');
  const loud = await runProgram(['Hello'], '', { directories });
  expect(loud).toMatchObject({ code: 0 });
  expect(loud.stderr).toContain('Extension does not export a valid factory function');
  const quiet = await runProgram(['--no-extensions', 'Hello'], '', { directories });
  expect(quiet.stderr).not.toContain('Extension');
});

test('a tool result with terminate: no second request is sent', async () => {
  const server = await startAnthropicMessages();
  onTestFinished(() => server.close());
  const code = `export default (pi) => pi.registerTool({ name: 'finish', description: 'Ends it.', parameters: { type: 'object', properties: {} },
    execute: async () => ({ content: [{ type: 'text', text: 'over' }], details: {}, terminate: true }) });`;
  const calls = { answer: { parts: [{ call: 'toolu_1', name: 'finish', input: {} }] } };
  server.reply(calls, calls);
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
  const flags = ['--model', 'anthropic/claude-sonnet-4-5', '--thinking', 'off'];
  const program = startRpc(flags, { directories: withExtension(code), env });
  for (const requests of [1, 2]) {
    program.send({ type: 'prompt', message: 'go' });
    expect(await program.nextFrame(toolEnd)).toMatchObject({ isError: false, result: { content: [{ text: 'over' }] } });
    expect(await program.nextFrame({ type: 'agent_settled' })).toMatchObject({ aborted: false });
    // The provider accepts the history at the next prompt.
    expect(server.received).toHaveLength(requests);
  }
});
