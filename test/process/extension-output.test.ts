// Whatever an extension writes to stdout, wherever it does so: the host gets frames only, a shell the answer only.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OWN_MODEL, startChatProvider } from '../support/chat-provider.ts';
import { type Place, type Program, type ProgramOptions, runProgram, startRpc } from '../support/program.ts';
import { until } from '../support/until.ts';

const KINDS = ['console.log', 'process.stdout.write', 'fs.writeSync', 'inherited stdio', 'worker'];
const AT_START = ['module', 'factory', 'session_start'];

/** Writes `<place kind>` in every way, at every place. Without imports, so that it runs as soon as an extension can. */
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

/** Where the extension is: found in the user's directory, or named on the command line. */
const LOCATIONS = ['home', '-e'] as const;
const STREAMS = ['pipe', 'socket'] as const;
const everyWay = LOCATIONS.flatMap((location) => STREAMS.map((streams) => [location, streams] as const));

async function stage(location: (typeof LOCATIONS)[number]) {
  const provider = await startChatProvider();
  const place = provider.place();
  const folder = join(place.home, location === 'home' ? 'extensions' : 'elsewhere');
  mkdirSync(folder);
  const path = join(folder, 'noisy.ts');
  writeFileSync(path, NOISY);
  return { provider, place, flags: [...OWN_MODEL, '--no-session', ...(location === 'home' ? [] : ['-e', path])] };
}

function expectMarks(stderr: string, ...places: string[]): void {
  const marks = stderr.match(/<[^>]+>/g) ?? [];
  const expected = places.flatMap((place) => KINDS.map((kind) => `<${place} ${kind}>`));
  expect(marks.sort()).toEqual(expected.sort());
}

/** Ends the program and looks at all that it wrote. */
async function expectFramesOnly(program: Program, ...places: string[]): Promise<void> {
  program.stdin.end();
  const { code, stdout, stderr } = await program.ended;
  expect(code).toBe(0);
  for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
  expect(stdout).not.toMatch(/<(module|factory|session_start|command|tool) /);
  expectMarks(stderr, ...places);
}

const CALL = { calls: [{ name: 'noisy', arguments: {} }] };

describe('RPC mode', () => {
  const dialects = ['omp', 'pi', 'pi-legacy'];
  test.each(dialects.flatMap((dialect) => everyWay.map((way) => [dialect, ...way] as const)))(
    '%s, extension from %s, stdout is a %s',
    async (dialect, location, streams) => {
      const { provider, place, flags } = await stage(location);
      provider.add(CALL);
      const program = startRpc([...flags, '--dialect', dialect], { place, streams });
      program.send({ type: 'prompt', message: 'Hello' });
      await program.frame({ type: 'tool_execution_end' });
      await program.frame({ type: 'agent_end' });
      program.send({ type: 'prompt', message: '/noisy' });
      await expectFramesOnly(program, ...AT_START, 'tool', 'command');
    },
  );

  test.each(everyWay)('opal, extension from %s, stdout is a %s', async (location, streams) => {
    const { provider, place, flags } = await stage(location);
    provider.add(CALL);
    const program = startRpc([...flags.filter((flag) => flag !== '--no-session'), '--dialect', 'opal'], {
      place,
      streams,
    });
    const call = async (id: number, method: string, params: Record<string, unknown>) => {
      program.send({ jsonrpc: '2.0', id, method, params });
      return (await program.frame({ id })).result;
    };
    await call(1, 'session/start', { session_id: 's' });
    await call(2, 'agent/prompt', { session_id: 's', text: 'Hello' });
    await program.frame(({ params }) => (params as { type?: string } | undefined)?.type === 'agent_end');
    await call(3, 'agent/prompt', { session_id: 's', text: '/noisy' });
    await expectFramesOnly(program, ...AT_START, 'tool', 'command');
  });

  test.each(everyWay)('no model is set up, extension from %s, stdout is a %s', async (location, streams) => {
    const { place, flags } = await stage(location);
    rmSync(join(place.home, 'models.json'));
    const program = startRpc(
      flags.filter((flag) => !OWN_MODEL.includes(flag)),
      { place, streams },
    );
    program.send({ type: 'prompt', message: '/noisy' });
    await expectFramesOnly(program, ...AT_START, 'command');
  });

  test('a model of an extension is chosen, so that extensions are waited for', async () => {
    const { place, flags, provider } = await stage('-e');
    const own = `export default (pi) => pi.registerProvider('late', {
      baseUrl: '${provider.url}/v1', api: 'openai-completions', apiKey: 'none', models: [{ id: 'one' }],
    });`;
    writeFileSync(join(place.home, 'late.ts'), own);
    const program = startRpc(
      [...flags, '-e', join(place.home, 'late.ts'), '--model', 'late/one', '--provider', 'late'],
      { place },
    );
    program.send({ type: 'prompt', message: 'Hello' });
    await program.frame({ type: 'agent_settled' });
    await expectFramesOnly(program, ...AT_START);
  });

  test('an extension that says where sessions are kept, so that it is waited for', async () => {
    const { place, flags } = await stage('home');
    const placed = `console.log('before the session'); export default (pi) => pi.on('session_directory', () => {});`;
    writeFileSync(join(place.home, 'extensions', 'placed.ts'), placed);
    const program = startRpc(
      flags.filter((flag) => flag !== '--no-session'),
      { place },
    );
    program.send({ type: 'prompt', message: 'Hello' });
    await program.frame({ type: 'agent_settled' });
    await expectFramesOnly(program, ...AT_START);
    expect((await program.ended).stderr).toContain('before the session');
  });

  test('a host that reads slowly: what an extension writes meanwhile reaches stderr', async () => {
    const { provider, place, flags } = await stage('home');
    // More than a pipe and the buffers of the program hold.
    provider.add({ text: 'x'.repeat(4_000_000), ...CALL });
    const program = startRpc([...flags, '--stream', 'delta'], { place, streams: 'pipe' });
    await program.frame({ type: 'ready' });
    program.stdout.pause();
    let stderr = '';
    program.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk;
    });
    program.send({ type: 'prompt', message: '/noisy' }, { type: 'prompt', message: 'Hello' });
    await until(() => KINDS.every((kind) => stderr.includes(`<command ${kind}>`)));
    program.stdout.resume();
    await program.frame({ type: 'agent_settled' });
    await expectFramesOnly(program, ...AT_START, 'tool', 'command');
  });
});

describe('print modes', () => {
  const modes = ['text', 'json'];
  const run = (place: Place, args: readonly string[], options: ProgramOptions = {}) =>
    runProgram(args, '', { place, ...options });

  test.each(modes.flatMap((mode) => everyWay.map((way) => [mode, ...way] as const)))(
    '%s, extension from %s, stdout is a %s',
    async (mode, location, streams) => {
      const { provider, place, flags } = await stage(location);
      provider.add(CALL, { text: 'The answer.' });
      const { code, stdout, stderr } = await run(place, [...flags, '--mode', mode, 'Hello'], { streams });
      expect(code).toBe(0);
      if (mode === 'text') expect(stdout).toBe('The answer.\n');
      else for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
      expectMarks(stderr, ...AT_START, 'tool');
    },
  );

  test.each(modes)('%s: a command of the extension', async (mode) => {
    const { place, flags } = await stage('home');
    const { stdout, stderr } = await run(place, [...flags, '--mode', mode, '/noisy']);
    if (mode === 'text') expect(stdout).toBe('');
    else for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
    expectMarks(stderr, ...AT_START, 'command');
  });

  test('a command line that is refused prints nothing on stdout', async () => {
    const { place, flags } = await stage('home');
    const { code, stdout, stderr } = await run(place, [...flags, '--unheard-of', 'Hello']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expectMarks(stderr, 'module', 'factory');
  });
});
