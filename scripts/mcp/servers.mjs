// Uses real MCP servers from npm through the built program: a scripted model calls their tools. Arguments: the directory with the packages, the program.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { createChecks } from '../clients/check.mjs';

const [packages, program] = process.argv.slice(2);
const { check, finish } = createChecks('real servers');
const directory = mkdtempSync(join(tmpdir(), 'parley-mcp-'));
const cwd = join(directory, 'project');
mkdirSync(cwd);
const children = new Set();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

function start(command, args, options = {}) {
  const child = spawn(command, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'], ...options });
  children.add(child);
  child.once('close', () => children.delete(child));
  return child;
}

/** A model that calls the tool of the prompt `call NAME JSON`, and then repeats the result. Counts the tools of its last request. */
const model = { tools: [] };
const provider = createServer(async (request, response) => {
  const { messages, tools = [] } = await json(request);
  model.tools = tools.map((tool) => tool.function.name);
  const last = messages.at(-1);
  const text = typeof last.content === 'string' ? last.content : last.content.map((part) => part.text ?? '').join('');
  const [, name, args] = /^call (\S+) (.+)$/.exec(text) ?? [];
  const call = { index: 0, id: 'call_1', type: 'function', function: { name, arguments: args } };
  const delta = name === undefined ? { content: 'Done.' } : { tool_calls: [call] };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const choice of [{ delta }, { delta: {}, finish_reason: name === undefined ? 'stop' : 'tool_calls' }]) {
    response.write(`data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, ...choice }] })}\n\n`);
  }
  response.end('data: [DONE]\n\n');
});
await new Promise((resolve) => provider.listen(0, '127.0.0.1', resolve));

function createHome(mcpServers) {
  const home = mkdtempSync(join(directory, 'home-'));
  const own = {
    baseUrl: `http://127.0.0.1:${provider.address().port}/v1`,
    api: 'openai-completions',
    apiKey: 'loopback',
    models: [{ id: 'scripted', contextWindow: 200_000, maxTokens: 1000 }],
  };
  writeFileSync(join(home, 'models.json'), JSON.stringify({ providers: { own } }));
  writeFileSync(join(home, 'mcp.json'), JSON.stringify({ mcpServers }));
  return home;
}

/** The built program as a host starts it. */
function startAgent(mcpServers) {
  const home = createHome(mcpServers);
  const flags = ['--mode', 'rpc', '--no-session', '--provider', 'own', '--model', 'scripted'];
  const env = { ...process.env, HOME: home, PARLEY_DIR: home };
  const child = start(process.execPath, [program, ...flags], { env });
  const send = (frame) => child.stdin.write(`${JSON.stringify(frame)}\n`);
  const frames = [];
  let wake = () => {};
  createInterface(child.stdout).on('line', (line) => {
    const frame = JSON.parse(line);
    frames.push(frame);
    // Dialogs of servers are accepted with their defaults.
    if (frame.type === 'extension_ui_request') send({ type: 'extension_ui_response', id: frame.id, ...answer(frame) });
    wake();
  });
  child.stderr.on('data', (chunk) => process.stderr.write(chunk));
  return {
    frames,
    async call(name, args) {
      const from = frames.length;
      send({ type: 'prompt', message: `call ${name} ${JSON.stringify(args)}` });
      for (;;) {
        const recent = frames.slice(from);
        if (recent.some(({ type }) => type === 'agent_settled')) {
          const end = recent.find(({ type }) => type === 'tool_execution_end');
          const updates = recent.filter(({ type }) => type === 'tool_execution_update').length;
          return { ...end, updates, text: end?.result.content.map((part) => part.text ?? part.type).join('\n') };
        }
        await new Promise((resolve) => {
          wake = resolve;
        });
      }
    },
    close() {
      child.stdin.end();
      return new Promise((resolve) => child.once('close', resolve));
    },
  };
}

function answer({ method, options }) {
  return method === 'confirm' ? { confirmed: true } : { value: options?.[0] ?? '' };
}

/** Starts the server of server-everything for HTTP. Resolves when it listens. */
async function startEverything(kind) {
  const port = await new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address();
      probe.close(() => resolve(free));
    });
  });
  const env = { ...process.env, PORT: String(port) };
  const child = start(process.execPath, [getEntry('server-everything'), kind], { env });
  await new Promise((resolve) => child.stderr.on('data', (chunk) => String(chunk).includes(String(port)) && resolve()));
  return { port, stop: () => child.kill() };
}

function getEntry(name) {
  return join(packages, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');
}

const stdio = (name, ...args) => ({ command: process.execPath, args: [getEntry(name), ...args] });

async function testEverything(title, definition) {
  const agent = startAgent({ every: definition });
  const call = (tool, args) => agent.call(`mcp__every__${tool}`, args);
  const isText = (expected) => (result) => !result.isError && result.text.includes(expected);
  await check(`${title}: echo`, () => call('echo', { message: 'hi' }), isText('Echo: hi'));
  await check(
    `${title}: tools in the request`,
    async () => model.tools,
    (tools) => tools.filter((name) => name.startsWith('mcp__every__')).length >= 10,
  );
  await check(`${title}: sum`, () => call('get-sum', { a: 2, b: 40 }), isText('42'));
  await check(
    `${title}: wrong arguments`,
    () => call('get-sum', { a: 'x' }),
    ({ isError }) => isError === true,
  );
  await check(
    `${title}: image`,
    () => call('get-tiny-image', {}),
    ({ result }) => result.content.some(({ type, mimeType }) => type === 'image' && mimeType === 'image/png'),
  );
  await check(
    `${title}: structured content`,
    () => call('get-structured-content', { location: 'New York' }),
    isText('temperature'),
  );
  await check(`${title}: resource links`, () => call('get-resource-links', { count: 2 }), isText('://'));
  await check(
    `${title}: embedded resource`,
    () => call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }),
    isText('Resource'),
  );
  await check(
    `${title}: progress`,
    () => call('trigger-long-running-operation', { duration: 0.4, steps: 4 }),
    ({ updates, isError }) => !isError && updates > 0,
  );
  await check(`${title}: roots`, () => call('get-roots-list', {}), isText(cwd));
  await check(
    `${title}: environment`,
    () => call('get-env', {}),
    // A process gets PATH, HOME and the locale; one that was started by others has its own environment.
    ({ text }) => definition.command === undefined || !text.includes('PARLEY_DIR'),
  );
  await check(
    `${title}: elicitation`,
    () => call('trigger-elicitation-request', {}),
    ({ isError }) => !isError,
  );
  await check(
    `${title}: the program ends`,
    () => agent.close(),
    (code) => code === 0,
  );
}

async function testFilesystem() {
  const agent = startAgent({ fs: stdio('server-filesystem', cwd) });
  const call = (tool, args) => agent.call(`mcp__fs__${tool}`, args);
  const path = join(cwd, 'a.txt');
  await check(
    'filesystem: write_file',
    () => call('write_file', { path, content: 'one\ntwo\n' }),
    () => readFileSync(path, 'utf8') === 'one\ntwo\n',
  );
  await check(
    'filesystem: read_text_file',
    () => call('read_text_file', { path }),
    ({ text }) => text.includes('two'),
  );
  await check(
    'filesystem: list_directory',
    () => call('list_directory', { path: cwd }),
    ({ text }) => text.includes('[FILE] a.txt'),
  );
  await check(
    'filesystem: another directory is refused',
    () => call('read_text_file', { path: '/etc/passwd' }),
    ({ isError, text }) => isError === true && !text.includes('root:'),
  );
  await check(
    'filesystem: the program ends',
    () => agent.close(),
    (code) => code === 0,
  );
}

async function testMemory() {
  const file = join(directory, 'memory.jsonl');
  const agent = startAgent({ memory: { ...stdio('server-memory'), env: { MEMORY_FILE_PATH: file } } });
  const call = (tool, args) => agent.call(`mcp__memory__${tool}`, args);
  const entities = [{ name: 'Parley', entityType: 'program', observations: ['speaks MCP'] }];
  await check(
    'memory: create_entities',
    () => call('create_entities', { entities }),
    ({ isError }) => !isError,
  );
  await check(
    'memory: read_graph',
    () => call('read_graph', {}),
    ({ text }) => text.includes('speaks MCP'),
  );
  await check(
    'memory: its file',
    async () => readFileSync(file, 'utf8'),
    (text) => text.includes('Parley'),
  );
  await check(
    'memory: the program ends',
    () => agent.close(),
    (code) => code === 0,
  );
}

await testEverything('everything over stdio', stdio('server-everything', 'stdio'));
const http = await startEverything('streamableHttp');
await testEverything('everything over HTTP', { type: 'http', url: `http://127.0.0.1:${http.port}/mcp` });
http.stop();
const sse = await startEverything('sse');
await testEverything('everything over SSE', { type: 'sse', url: `http://127.0.0.1:${sse.port}/sse` });
sse.stop();
await testFilesystem();
await testMemory();
finish();
