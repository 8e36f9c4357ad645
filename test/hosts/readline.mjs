// Example host for Node that reads line by line and prints the text of the model.
// Usage: `node readline.mjs PROGRAM MESSAGE`. Ctrl+C aborts the run.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [, , program = 'parley', message = ''] = process.argv;
const agent = spawn(program, ['--mode', 'rpc', '--no-session'], { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (command) => agent.stdin.write(`${JSON.stringify(command)}\n`);

createInterface({ input: agent.stdout }).on('line', (line) => {
  const event = JSON.parse(line);
  if (event.type === 'message_update' && event.assistantMessageEvent.type === 'text_delta') {
    process.stdout.write(event.assistantMessageEvent.delta);
  } else if (event.type === 'tool_execution_start') {
    process.stdout.write(`\n[tool ${event.toolName}]\n`);
  } else if (event.type === 'agent_end') {
    process.stdout.write(`\n[end ${event.messages.at(-1).stopReason ?? event.messages.at(-1).role}]\n`);
    agent.stdin.end();
  }
});

process.on('SIGINT', () => send({ type: 'abort' }));
agent.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
send({ type: 'prompt', message });
