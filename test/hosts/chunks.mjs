// Example host that reads chunks instead of lines and parses the complete JSON lines of its buffer.
// Uses Bun.JSONL if it exists. Usage: `bun chunks.mjs PROGRAM MESSAGE`. Ctrl+C aborts the run.
import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';

const parseChunk = globalThis.Bun?.JSONL?.parseChunk ?? parseCompleteLines;

/** Returns the values of all complete lines and the length of their text. */
function parseCompleteLines(text) {
  const read = text.lastIndexOf('\n') + 1;
  const lines = text.slice(0, read).split('\n').filter(Boolean);
  return { values: lines.map((line) => JSON.parse(line)), read };
}

const [, , program = 'parley', message = ''] = process.argv;
const agent = spawn(program, ['--mode', 'rpc', '--no-session'], { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (command) => agent.stdin.write(`${JSON.stringify(command)}\n`);

async function readEvents() {
  const reader = Readable.toWeb(agent.stdout).getReader();
  const decoder = new TextDecoder();
  let buffer = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    buffer += decoder.decode(value, { stream: true });
    const { values, read } = parseChunk(buffer);
    buffer = buffer.slice(read);
    values.forEach(show);
  }
}

function show(event) {
  if (event.type === 'message_update' && event.assistantMessageEvent.type === 'text_delta') {
    process.stdout.write(event.assistantMessageEvent.delta);
  }
  if (event.type === 'tool_execution_start') process.stdout.write(`\n[tool ${event.toolName}]\n`);
  if (event.type !== 'agent_end') return;
  const last = event.messages.at(-1);
  process.stdout.write(`\n[end ${last.stopReason ?? last.role}]\n`);
  agent.stdin.end();
}

process.on('SIGINT', () => send({ type: 'abort' }));
agent.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
send({ type: 'prompt', message });
await readEvents();
