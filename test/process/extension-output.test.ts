// Output of extensions to stdout, in every way: stdout must have only frames, or only the answer in text mode.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHAT_MODEL_FLAGS, startChatProvider } from '../support/chat-provider.ts';
import {
  type Program,
  type ProgramDirectories,
  type ProgramOptions,
  runProgram,
  startRpc,
} from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';

const KINDS = ['console.log', 'process.stdout.write', 'fs.writeSync', 'inherited stdio', 'worker'];
const AT_START = ['module', 'factory', 'session_start'];

/** Writes `<place kind>` in every way at every stage. It has no imports, so that it runs as early as possible. */
const NOISY = `
const [{ spawnSync }, { once }, { writeSync }, { Worker }] =
  ['child_process', 'events', 'fs', 'worker_threads'].map((name) => process.getBuiltinModule(name));
const { log } = console;
const out = process.stdout;
async function write(place) {
  log('<' + place + ' console.log>');
  out.write('<' + place + ' process.stdout.write>\\n');
  writeSync(1, '<' + place + ' fs.writeSync>\\n');
  spawnSync('sh', ['-c', 'echo "<' + place + ' inherited stdio>"'], { stdio: 'inherit' });
  await once(new Worker('console.log("<' + place + ' worker>")', { eval: true }), 'exit');
}
const first = write('module');
export default async (pi) => {
  await first;
  await write('factory');
  pi.on('session_start', () => write('session_start'));
  pi.registerCommand('noisy', { handler: () => write('command') });
  pi.registerTool({
    name: 'noisy', label: 'Noisy', description: 'Writes', parameters: { type: 'object', properties: {} },
    async execute() {
      await write('tool');
      return { content: [{ type: 'text', text: 'written' }] };
    },
  });
};`;

/** The extension is in the user directory, or named with -e. */
const LOCATIONS = ['home', '-e'] as const;
const STREAMS = ['pipe', 'socket'] as const;
const everyWay = LOCATIONS.flatMap((location) => STREAMS.map((streams) => [location, streams] as const));

async function createNoisyDirectories(location: (typeof LOCATIONS)[number]) {
  const provider = await startChatProvider();
  const directories = provider.createDirectories();
  const folder = join(directories.home, location === 'home' ? 'extensions' : 'elsewhere');
  mkdirSync(folder);
  const path = join(folder, 'noisy.ts');
  writeFileSync(path, NOISY);
  return {
    provider,
    directories,
    flags: [...CHAT_MODEL_FLAGS, '--no-session', ...(location === 'home' ? [] : ['-e', path])],
  };
}

function expectMarks(stderr: string, ...directoryList: string[]): void {
  const marks = stderr.match(/<[^>]+>/g) ?? [];
  const expected = directoryList.flatMap((directories) => KINDS.map((kind) => `<${directories} ${kind}>`));
  expect(marks.sort()).toEqual(expected.sort());
}

/** Ends the program and checks all of its output. */
async function expectFramesOnly(program: Program, ...directoryList: string[]): Promise<void> {
  program.stdin.end();
  const { code, stdout, stderr } = await program.exited;
  expect(code).toBe(0);
  for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
  expect(stdout).not.toMatch(/<(module|factory|session_start|command|tool) /);
  expectMarks(stderr, ...directoryList);
}

const CALL = { calls: [{ name: 'noisy', arguments: {} }] };

describe('RPC mode', () => {
  const dialects = ['omp', 'pi', 'pi-legacy'];
  test.each(dialects.flatMap((dialect) => everyWay.map((way) => [dialect, ...way] as const)))(
    '%s, extension from %s, stdout is a %s',
    async (dialect, location, streams) => {
      const { provider, directories, flags } = await createNoisyDirectories(location);
      provider.add(CALL);
      const program = startRpc([...flags, '--dialect', dialect], { directories, streams });
      program.send({ type: 'prompt', message: 'Hello' });
      await program.nextFrame({ type: 'tool_execution_end' });
      await program.nextFrame({ type: 'agent_end' });
      program.send({ type: 'prompt', message: '/noisy' });
      await expectFramesOnly(program, ...AT_START, 'tool', 'command');
    },
  );

  test.each(everyWay)('opal, extension from %s, stdout is a %s', async (location, streams) => {
    const { provider, directories, flags } = await createNoisyDirectories(location);
    provider.add(CALL);
    const program = startRpc([...flags.filter((flag) => flag !== '--no-session'), '--dialect', 'opal'], {
      directories,
      streams,
    });
    const call = async (id: number, method: string, params: Record<string, unknown>) => {
      program.send({ jsonrpc: '2.0', id, method, params });
      return (await program.nextFrame({ id })).result;
    };
    await call(1, 'session/start', { session_id: 's' });
    await call(2, 'agent/prompt', { session_id: 's', text: 'Hello' });
    await program.nextFrame(({ params }) => (params as { type?: string } | undefined)?.type === 'agent_end');
    await call(3, 'agent/prompt', { session_id: 's', text: '/noisy' });
    await expectFramesOnly(program, ...AT_START, 'tool', 'command');
  });

  test.each(everyWay)('no model is configured, extension from %s, stdout is a %s', async (location, streams) => {
    const { directories, flags } = await createNoisyDirectories(location);
    rmSync(join(directories.home, 'models.json'));
    const program = startRpc(
      flags.filter((flag) => !CHAT_MODEL_FLAGS.includes(flag)),
      { directories, streams },
    );
    program.send({ type: 'prompt', message: '/noisy' });
    await expectFramesOnly(program, ...AT_START, 'command');
  });

  test('a selected model of an extension, for which the start waits', async () => {
    const { directories, flags, provider } = await createNoisyDirectories('-e');
    const own = `export default (pi) => pi.registerProvider('late', {
      baseUrl: '${provider.url}/v1', api: 'openai-completions', apiKey: 'none', models: [{ id: 'one' }],
    });`;
    writeFileSync(join(directories.home, 'late.ts'), own);
    const program = startRpc(
      [...flags, '-e', join(directories.home, 'late.ts'), '--model', 'late/one', '--provider', 'late'],
      { directories },
    );
    program.send({ type: 'prompt', message: 'Hello' });
    await program.nextFrame({ type: 'agent_settled' });
    await expectFramesOnly(program, ...AT_START);
  });

  test('an extension with a session_directory handler, for which the start waits', async () => {
    const { directories, flags } = await createNoisyDirectories('home');
    const placed = `console.log('before the session'); export default (pi) => pi.on('session_directory', () => {});`;
    writeFileSync(join(directories.home, 'extensions', 'placed.ts'), placed);
    const program = startRpc(
      flags.filter((flag) => flag !== '--no-session'),
      { directories },
    );
    program.send({ type: 'prompt', message: 'Hello' });
    await program.nextFrame({ type: 'agent_settled' });
    await expectFramesOnly(program, ...AT_START);
    expect((await program.exited).stderr).toContain('before the session');
  });

  test('output of an extension reaches stderr while the host does not read stdout', async () => {
    const { provider, directories, flags } = await createNoisyDirectories('home');
    // Larger than a pipe and the buffers of the program.
    provider.add({ text: 'x'.repeat(4_000_000), ...CALL });
    const program = startRpc([...flags, '--stream', 'delta'], { directories, streams: 'pipe' });
    await program.nextFrame({ type: 'ready' });
    program.stdout.pause();
    let stderr = '';
    program.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk;
    });
    program.send({ type: 'prompt', message: '/noisy' }, { type: 'prompt', message: 'Hello' });
    await waitUntil(() => KINDS.every((kind) => stderr.includes(`<command ${kind}>`)));
    program.stdout.resume();
    await program.nextFrame({ type: 'agent_settled' });
    await expectFramesOnly(program, ...AT_START, 'tool', 'command');
  });
});

describe('print modes', () => {
  const modes = ['text', 'json'];
  const run = (programDirectories: ProgramDirectories, args: readonly string[], options: ProgramOptions = {}) =>
    runProgram(args, '', { directories: programDirectories, ...options });

  test.each(modes.flatMap((mode) => everyWay.map((way) => [mode, ...way] as const)))(
    '%s, extension from %s, stdout is a %s',
    async (mode, location, streams) => {
      const { provider, directories, flags } = await createNoisyDirectories(location);
      provider.add(CALL, { text: 'The answer.' });
      const { code, stdout, stderr } = await run(directories, [...flags, '--mode', mode, 'Hello'], { streams });
      expect(code).toBe(0);
      if (mode === 'text') expect(stdout).toBe('The answer.\n');
      else for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
      expectMarks(stderr, ...AT_START, 'tool');
    },
  );

  test.each(modes)('%s: a command of the extension', async (mode) => {
    const { directories, flags } = await createNoisyDirectories('home');
    const { stdout, stderr } = await run(directories, [...flags, '--mode', mode, '/noisy']);
    if (mode === 'text') expect(stdout).toBe('');
    else for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
    expectMarks(stderr, ...AT_START, 'command');
  });

  test('an invalid command line prints nothing on stdout', async () => {
    const { directories, flags } = await createNoisyDirectories('home');
    const { code, stdout, stderr } = await run(directories, [...flags, '--unknown-flag', 'Hello']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expectMarks(stderr, 'module', 'factory');
  });
});
