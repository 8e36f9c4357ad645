// Example host that pairs each tool call with its result: by toolCallId, and again from turn_end.
// Usage: `node correlate.mjs PROGRAM MESSAGE...`. Prints one JSON object with both lists and the display texts.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [, , program = 'parley', ...messages] = process.argv;
const agent = spawn(program, ['--mode', 'rpc', '--no-session'], { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (command) => agent.stdin.write(`${JSON.stringify(command)}\n`);

const pending = new Map();
const byId = [];
const byTurn = [];
const shown = [];

function getText(result) {
  if (typeof result === 'string') return result;
  return result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function display({ name, args, result }) {
  if (name === 'bash') return `$ ${args.command}\n${getText(result)}`;
  if (name === 'read') return `read ${args.path}\n${getText(result).slice(0, 500)}`;
  if (name === 'write') return `wrote ${args.path}`;
  if (name === 'edit') return `edited ${args.path}`;
  return `${name}: ${getText(result).slice(0, 200)}`;
}

const handlers = {
  tool_execution_start: ({ toolCallId, toolName, args }) => pending.set(toolCallId, { name: toolName, args }),
  tool_execution_end({ toolCallId, result, isError }) {
    const call = { ...pending.get(toolCallId), result, isError };
    pending.delete(toolCallId);
    shown.push(display(call));
    byId.push({ id: toolCallId, name: call.name, args: call.args, text: getText(result), isError });
  },
  turn_end({ message, toolResults }) {
    for (const call of message.content.filter(({ type }) => type === 'toolCall')) {
      const result = toolResults.find(({ toolCallId }) => toolCallId === call.id);
      const { isError } = result;
      byTurn.push({ id: call.id, name: call.name, args: call.arguments, text: getText(result), isError });
    }
  },
  agent_end: sendNext,
};

function sendNext() {
  const message = messages.shift();
  if (message === undefined) agent.stdin.end();
  else send({ type: 'prompt', message });
}

createInterface({ input: agent.stdout }).on('line', (line) => {
  const event = JSON.parse(line);
  handlers[event.type]?.(event);
});
agent.on('exit', (code) => {
  process.stdout.write(`${JSON.stringify({ byId, byTurn, shown, left: pending.size, code })}\n`);
});
sendNext();
