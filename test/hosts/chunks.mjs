// A host as people write them on Bun: reads chunks, not lines, and takes from its buffer whatever is whole JSON by then.
// Runs on Bun with its own parser, elsewhere with the one below. `bun chunks.mjs PROGRAM MESSAGE`; Ctrl+C aborts the run.
import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';

const parseChunk = globalThis.Bun?.JSONL?.parseChunk ?? wholeLines;

/** The values of all lines that have ended, and how far they reach. */
function wholeLines(text) {
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
