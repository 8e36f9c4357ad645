// Tests with Bun: hosts on Bun, the client on Bun, and the program on Bun.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { API_STREAMS } from '../../scripts/api-streams.mjs';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { createDirectories } from '../support/program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bun = process.env.BUN || 'bun';

/** Creates a project, and puts the program on the path under the names that hosts use. */
function install() {
  const { home, cwd } = createDirectories();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  for (const name of ['parley', 'omp']) symlinkSync(inject('program'), join(bin, name));
  writeFileSync(join(cwd, 'shopping.txt'), 'milk\nbread\n');
  const path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  return { home, cwd, env: { PATH: path, HOME: home, PARLEY_DIR: home } };
}

function run({ cwd, env }: ReturnType<typeof install>, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(bun, args, { cwd, env, encoding: 'utf8', timeout: 150_000 });
  return { status, stdout, stderr };
}

test('Bun is installed', () => {
  expect(spawnSync(bun, ['--version'], { encoding: 'utf8' }).stdout).toMatch(/^\d+\.\d+\.\d+/);
});

describe('hosts', () => {
  const hostsFolder = join(root, 'test/hosts');

  test.each(['bun-spawn.ts', 'chunks.mjs', 'readline.mjs'])('%s gets an answer and exits', (host) => {
    const { status, stdout, stderr } = run(install(), join(hostsFolder, host), 'omp', 'What files are here?');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('[tool ls]');
    expect(stdout).toContain('shopping.txt');
    expect(stdout).toMatch(/\n\[end stop\]\n$/);
  });

  test.each(['bun-spawn.ts', 'chunks.mjs'])('Ctrl+C in %s aborts the run', async (host) => {
    const { cwd, env } = install();
    const child = spawn(bun, [join(hostsFolder, host), 'omp', 'Run `sleep 600`'], { cwd, env });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const before = stdout.includes('[tool bash]');
      stdout += text;
      if (!before && stdout.includes('[tool bash]')) child.kill('SIGINT');
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/\[end (aborted|toolResult)\]\n$/) });
  });
});

const CLIENT = `
import { AgentExitedError, RpcClient, RpcError } from 'parley-agent/client';

const options = { cliPath: process.argv[2], args: ['--no-session'] };
const agent = new RpcClient({ ...options, ...(process.argv[3] ? { runtime: process.argv[3] } : {}) });
const tools: string[] = [];
agent.onEvent((event) => {
  if (event.type === 'tool_execution_start') tools.push(event.toolName);
});
await agent.start();
const messages = await agent.promptAndWait('What files are here?', { signal: AbortSignal.timeout(120_000) });
const rejected = await agent.setSessionName({ name: ' ' }).catch((error) => error instanceof RpcError && error.message);
const iterated: string[] = [];
const reading = (async () => {
  for await (const event of agent.events()) {
    iterated.push(event.type);
    if (event.type === 'agent_settled') break;
  }
})();
await agent.prompt({ message: 'Say hello' });
await reading;
const waiting = agent.bash({ command: 'sleep 600' }).catch((error) => error);
process.kill(agent.pid, 'SIGKILL');
const exitError = await waiting;
process.stdout.write(JSON.stringify({
  tools, count: messages.length, rejected, last: iterated.at(-1), signal: exitError instanceof AgentExitedError && exitError.signal,
}));
`;

describe('the client', () => {
  test.each([
    ['an agent on Node', process.execPath],
    ['an agent on Bun (the default)', ''],
  ])('works with %s', async (_, runtime) => {
    const directories = install();
    const program = join(directories.home, 'host.mjs');
    await build({
      stdin: { contents: CLIENT, loader: 'ts', resolveDir: root },
      outfile: program,
      bundle: true,
      format: 'esm',
      platform: 'node',
      alias: { 'parley-agent/client': join(root, 'src/client/index.ts') },
      logLevel: 'silent',
    });
    const { status, stdout, stderr } = run(directories, program, inject('program'), ...(runtime ? [runtime] : []));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      tools: ['ls'],
      count: 4,
      rejected: 'Session name cannot be empty',
      last: 'agent_settled',
      signal: 'SIGKILL',
    });
  });
});

test('the program runs on Bun', () => {
  const { status, stdout } = run(install(), inject('program'), '--no-session', 'Run `echo from a shell`');
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('from a shell') });
});

test.each(['http', 'https'])('the program on Bun connects to %s through a proxy', async (scheme) => {
  const stream = API_STREAMS.find(({ api }) => api === 'openai-completions');
  const answer: RequestListener = (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': stream?.type }).end(stream?.frames(3));
  };
  const tls = join(root, 'test/support/tls');
  const [cert, key] = ['crt', 'key'].map((kind) => readFileSync(join(tls, `provider.test.${kind}`)));
  const server = scheme === 'http' ? createServer(answer) : createTlsServer({ cert, key }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const proxy = await startForwardProxy({ ports: { 80: port, 443: port }, credentials: 'me:secret' });
  const { home, cwd, env } = install();
  const own = { baseUrl: `${scheme}://provider.test/v1`, api: stream?.api, apiKey: 'sk-none', models: [{ id: 'm' }] };
  writeFileSync(join(home, 'models.json'), JSON.stringify({ providers: { own } }));
  const child = spawn(bun, [inject('program'), '--no-session', '--provider', 'own', '--model', 'm', 'Hello'], {
    cwd,
    env: {
      ...env,
      ALL_PROXY: `http://me:secret@${proxy.address}`,
      NODE_EXTRA_CA_CERTS: join(tls, 'provider.test.crt'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await Promise.all([text(child.stdout), text(child.stderr)])).toEqual(['word word word \n', '']);
  expect(proxy.forwarded).toHaveLength(1);
});

const NOISY = `console.log('<console.log>');
console.write('<console.write>');
process.stdout.write('<process.stdout.write>');
process.getBuiltinModule('fs').writeSync(1, '<fs.writeSync>');
await Bun.write(Bun.stdout, '<Bun.write>');
Bun.spawnSync(['echo', '<Bun.spawnSync>'], { stdout: 'inherit' });
process.getBuiltinModule('child_process').spawnSync('echo', ['<spawnSync>'], { stdio: 'inherit' });
export default () => console.info('<factory>');`;

test.each([
  ['socket', ''],
  ['pipe', '| cat'],
])('output of an extension on Bun does not reach the host (stdout is a %s)', async (_, pipe) => {
  const { home, cwd, env } = install();
  mkdirSync(join(home, 'extensions'));
  writeFileSync(join(home, 'extensions/noisy.ts'), NOISY);
  const child = spawn('sh', ['-c', `'${bun}' '${inject('program')}' --mode rpc --no-session ${pipe}`], { cwd, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end('{"type":"get_commands"}\n');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
  const kinds = ['console.log', 'console.write', 'process.stdout.write', 'fs.writeSync', 'Bun.write', 'Bun.spawnSync'];
  for (const kind of [...kinds, 'spawnSync', 'factory']) expect(stderr).toContain(`<${kind}>`);
});
