// A minimal host for the Agent Client Protocol: starts `parley acp`, sends one prompt, shows the answer, tool calls and diffs, asks for
// permissions, and keeps files in memory like the buffers of an editor. Usage: node editor.mjs "message"
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { createInterface } from 'node:readline';

const message = process.argv.slice(2).join(' ');
if (!message) {
  process.stderr.write('Usage: node editor.mjs "message"\n');
  process.exit(2);
}
const [command, ...args] = (process.env.AGENT_COMMAND ?? 'parley acp').split(' ');
const cwd = process.cwd();

// --- Connection: JSON-RPC 2.0, one object per line, requests in both directions.
const agent = spawn(command, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
agent.on('error', (error) => {
  process.stderr.write(`Cannot start ${command}: ${error.message}\n`);
  process.exit(1);
});
const open = new Map();
let lastId = 0;
const send = (frame) => agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);

function request(method, params) {
  lastId += 1;
  const id = lastId;
  send({ id, method, params });
  return new Promise((resolve, reject) => open.set(id, { resolve, reject }));
}

function receive(line) {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method !== undefined && id !== undefined) return answer(id, method, params);
  if (method === '$/cancel_request') return withdraw(params.requestId);
  if (method === 'session/update') return show(params.update);
  const call = open.get(id);
  open.delete(id);
  if (error) call?.reject(new Error(error.message));
  else call?.resolve(result);
}

async function answer(id, method, params) {
  try {
    const handler = HANDLERS[method];
    if (handler) send({ id, result: await handler(params, id) });
    else send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  } catch (error) {
    send({ id, error: { code: -32603, message: error.message } });
  }
}

// --- Buffers: what the agent writes stays in memory until the user saves it.
const buffers = new Map();

function readBuffer(path) {
  if (!buffers.has(path)) buffers.set(path, { saved: readFileSync(path, 'utf8') });
  const { unsaved, saved } = buffers.get(path);
  return unsaved ?? saved;
}

function writeBuffer(path, content) {
  buffers.set(path, { ...buffers.get(path), unsaved: content });
}

// --- Terminal: one question at a time. At the end of the input every question is unanswered.
const lines = createInterface({ input: process.stdin });
const typed = [];
let isOver = false;
let reply;
let lastQuestion = Promise.resolve();
lines.on('line', (line) => (reply ? reply(line) : typed.push(line)));
lines.on('close', () => {
  isOver = true;
  reply?.(undefined);
});

/** `withdrawn` resolves when the question need not be answered. */
function ask(question, withdrawn = new Promise(() => {})) {
  lastQuestion = lastQuestion.then(async () => {
    process.stdout.write(question);
    if (typed.length > 0 || isOver) return typed.shift()?.trim();
    const line = await Promise.race([new Promise((resolve) => (reply = resolve)), withdrawn]);
    reply = undefined;
    return line?.trim();
  });
  return lastQuestion;
}

const color = (code, text) => (process.stdout.isTTY ? `\u001b[${code}m${text}\u001b[0m` : text);
const print = (text = '') => process.stdout.write(`${text}\n`);

// --- Requests of the agent.
const questions = new Map();
const HANDLERS = {
  'session/request_permission': ({ toolCall, options }, id) => askPermission(toolCall, options, id),
  'fs/read_text_file': ({ path, line = 1, limit }) => {
    const all = readBuffer(path).split('\n');
    const start = (line ?? 1) - 1;
    return { content: all.slice(start, limit == null ? undefined : start + limit).join('\n') };
  },
  'fs/write_text_file': ({ path, content }) => {
    writeBuffer(path, content);
    return {};
  },
};

async function askPermission({ title, content = [] }, options, id) {
  print(`\n${color(33, `? ${title}`)}`);
  for (const item of content ?? []) if (item.type === 'diff') showDiff(item);
  const choices = options.map(({ name }, at) => `${at + 1}) ${name}`).join('  ');
  const withdrawn = new Promise((resolve) => questions.set(id, resolve));
  const number = await ask(`${choices} > `, withdrawn);
  questions.delete(id);
  const option = options[Number(number) - 1];
  print(option ? option.name : 'no answer');
  return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } };
}

function withdraw(id) {
  questions.get(id)?.(undefined);
}

// --- Updates of the session.
const titles = new Map();

function show(update) {
  const { sessionUpdate, content, entries } = update;
  if (sessionUpdate === 'agent_message_chunk' && content.type === 'text') process.stdout.write(content.text);
  if (sessionUpdate === 'agent_thought_chunk' && content.type === 'text') process.stdout.write(color(2, content.text));
  if (sessionUpdate === 'plan') for (const entry of entries) print(`${entry.status}: ${entry.content}`);
  if (sessionUpdate === 'tool_call' || sessionUpdate === 'tool_call_update') showToolCall(update);
}

function showToolCall({ toolCallId, title = titles.get(toolCallId), status, content }) {
  titles.set(toolCallId, title);
  if (status !== 'completed' && status !== 'failed') return;
  print(`\n${color(status === 'failed' ? 31 : 36, `[${status}] ${title}`)}`);
  for (const item of content ?? []) if (item.type === 'diff') showDiff(item);
}

/** The lines that differ, between the lines at the start and at the end that are equal. */
function showDiff({ path, oldText, newText }) {
  const [before, after] = [oldText ?? '', newText].map((text) => text.replace(/\n$/, '').split('\n'));
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end))
    end += 1;
  print(`  ${relative(cwd, path)}`);
  if (oldText != null) for (const line of before.slice(start, before.length - end)) print(color(31, `  - ${line}`));
  for (const line of after.slice(start, after.length - end)) print(color(32, `  + ${line}`));
}

async function saveBuffers() {
  for (const [path, { unsaved, saved }] of buffers) {
    if (unsaved === undefined || unsaved === saved) continue;
    const decision = await ask(`Save ${relative(cwd, path)}? y/n > `);
    print(decision === 'y' ? 'saved' : 'not saved');
    if (decision === 'y') writeFileSync(path, unsaved);
  }
}

async function run() {
  createInterface({ input: agent.stdout }).on('line', receive);
  const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true } };
  const { agentInfo } = await request('initialize', { protocolVersion: 1, clientCapabilities });
  const { sessionId } = await request('session/new', { cwd, mcpServers: [] });
  print(color(2, `${agentInfo.title ?? agentInfo.name} ${agentInfo.version}, session ${sessionId}`));
  process.on('SIGINT', () => send({ method: 'session/cancel', params: { sessionId } }));
  const { stopReason } = await request('session/prompt', { sessionId, prompt: [{ type: 'text', text: message }] });
  print(`\n[${stopReason}]`);
  await saveBuffers();
}

run()
  .catch((error) => {
    process.stderr.write(`Error: ${error.message}\n`);
    process.exitCode = 1;
  })
  .finally(() => {
    agent.stdin.end();
    lines.close();
  });
