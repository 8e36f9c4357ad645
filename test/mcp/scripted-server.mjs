// A stdio MCP server in plain Node. Its argument is JSON, or a file with JSON, that says what it lists, and how it misbehaves.
// @ts-check
import { appendFileSync, readFileSync } from 'node:fs';

const [, , argument = '{}'] = process.argv;
const script = JSON.parse(argument.startsWith('{') ? argument : readFileSync(argument, 'utf8'));
const { capabilities = { tools: {}, prompts: {}, resources: {} }, lists = {}, replies = {} } = script;

/** @param {unknown} message */
const send = (message) => process.stdout.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
/** @param {string} method @param {unknown} [params] */
const notify = (method, params) => send({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });

if (script.stderr) process.stderr.write(script.stderr);
if (script.stdout) process.stdout.write(script.stdout);
if (script.exit !== undefined) process.exit(script.exit);
if (script.hugeLine) process.stdout.write('x'.repeat(script.hugeLine));
if (script.nested) {
  const params = `${'{"a":'.repeat(script.nested)}1${'}'.repeat(script.nested)}`;
  process.stdout.write(`{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}\n`);
}
if (script.ignoreEnd) setInterval(() => {}, 1000);
if (script.flood) flood();

/** Writes notifications without end, as fast as they are read. */
function flood() {
  const line = `${JSON.stringify({ jsonrpc: '2.0', method: script.flood, params: { level: 'info', data: 'x' } })}\n`;
  const write = () => {
    while (process.stdout.write(line.repeat(100)));
    process.stdout.once('drain', write);
  };
  write();
}

/** @param {any} message */
function handle(message) {
  if (script.record) appendFileSync(script.record, `${JSON.stringify(message)}\n`);
  if (script.silent) return;
  const { id, method, params } = message;
  if (method === undefined) return handleAnswer(message);
  if (id === undefined) return;
  const reply = replies[method];
  if (reply === 'exit') process.exit(3);
  if (reply === 'silent') return;
  if (reply !== undefined) return send({ jsonrpc: '2.0', id, ...reply });
  if (method === 'initialize') {
    const serverInfo = { name: 'scripted', version: '1' };
    return send({
      jsonrpc: '2.0',
      id,
      result: { protocolVersion: script.version ?? params.protocolVersion, capabilities, serverInfo },
    });
  }
  const [kind, verb] = method.split('/');
  if (verb === 'list') return send({ jsonrpc: '2.0', id, result: listPage(kind, params?.cursor) });
  if (method === 'tools/call') return callTool(id, params);
  send({ jsonrpc: '2.0', id, error: { code: -32601, message: `Unknown method ${method}` } });
}

/** @param {string} kind @param {string} [cursor] */
function listPage(kind, cursor) {
  const pages = lists[kind] ?? [[]];
  const page = Number(cursor ?? 0);
  const isLast = page === pages.length - 1;
  return {
    [kind]: pages[page % pages.length],
    ...(isLast && !script.endlessPages ? {} : { nextCursor: String(page + 1) }),
  };
}

/** Tool calls that wait for an answer of the client. @type {Map<string, number>} */
const waiting = new Map();

/** @param {any} message */
function handleAnswer(message) {
  const call = waiting.get(message.id);
  if (call !== undefined) respond(call, JSON.stringify(message.result ?? message.error));
}

/** @param {number} id @param {string} text */
function respond(id, text) {
  send({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
}

/** @param {number} id @param {{ name: string, arguments: any, _meta?: any }} params */
function callTool(id, { name, arguments: args, _meta }) {
  switch (name) {
    case 'echo':
      return respond(id, JSON.stringify(args));
    case 'env':
      return respond(id, JSON.stringify({ env: process.env, cwd: process.cwd(), pid: process.pid }));
    case 'exit':
      process.stderr.write(args?.stderr ?? '');
      return process.exit(4);
    case 'never':
      return;
    case 'progress':
      for (const [index, text] of args.messages.entries()) {
        notify('notifications/progress', {
          progressToken: _meta.progressToken,
          progress: index + 1,
          total: args.messages.length,
          message: text,
        });
      }
      return respond(id, 'done');
    case 'ask':
      waiting.set(`ask-${id}`, id);
      return send({ jsonrpc: '2.0', id: `ask-${id}`, method: args.method, params: args.params });
    case 'change':
      Object.assign(lists, args.lists);
      for (const kind of Object.keys(args.lists)) notify(`notifications/${kind}/list_changed`);
      return respond(id, 'changed');
    default:
      return send({ jsonrpc: '2.0', id, result: script.results?.[name] ?? { content: [] } });
  }
}

let rest = '';
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) handle(JSON.parse(line));
});
process.stdin.on('end', () => {
  if (!script.ignoreEnd) process.exit(0);
});
