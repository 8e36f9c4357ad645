// Example host for Bun that uses Bun.spawn, its file sink, and Bun.JSONL where it exists.
// Usage: `bun bun-spawn.ts PROGRAM MESSAGE`. Ctrl+C aborts the run.
interface Agent {
  readonly stdin: { write(text: string): void; flush(): void; end(): void };
  readonly stdout: ReadableStream<Uint8Array>;
  readonly exited: Promise<number>;
}

interface Runtime {
  spawn(command: string[], options: object): Agent;
  JSONL?: { parseChunk(text: string): { values: unknown[]; read: number } };
}

interface HostEvent {
  type: string;
  toolName?: string;
  messages?: { role: string; stopReason?: string }[];
  assistantMessageEvent?: { type: string; delta?: string };
}

const { Bun } = globalThis as unknown as { Bun: Runtime };
const [, , program = 'parley', message = ''] = process.argv;
const agent = Bun.spawn([program, '--mode', 'rpc', '--no-session'], {
  stdin: 'pipe',
  stdout: 'pipe',
  stderr: 'inherit',
});

function send(command: object): void {
  agent.stdin.write(`${JSON.stringify(command)}\n`);
  agent.stdin.flush();
}

function show(event: HostEvent): void {
  if (event.type === 'message_update') process.stdout.write(event.assistantMessageEvent?.delta ?? '');
  if (event.type === 'tool_execution_start') process.stdout.write(`\n[tool ${event.toolName}]\n`);
  if (event.type !== 'agent_end') return;
  const last = event.messages?.at(-1);
  process.stdout.write(`\n[end ${last?.stopReason ?? last?.role}]\n`);
  agent.stdin.end();
}

function showEvents(text: string): string {
  if (Bun.JSONL) {
    const { values, read } = Bun.JSONL.parseChunk(text);
    for (const value of values) show(value as HostEvent);
    return text.slice(read);
  }
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  for (const line of lines) show(JSON.parse(line));
  return rest;
}

process.on('SIGINT', () => send({ type: 'abort' }));
send({ type: 'prompt', message });
const decoder = new TextDecoder();
let buffer = '';
for await (const chunk of agent.stdout) buffer = showEvents(buffer + decoder.decode(chunk, { stream: true }));
process.exitCode = await agent.exited;
