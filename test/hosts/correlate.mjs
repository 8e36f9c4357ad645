// A host that shows tools in a chat: it joins each call with its result, by toolCallId and again at the end of each turn.
// `node correlate.mjs PROGRAM MESSAGE...` prints one JSON object: what it found either way, and what it would show.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [, , program = 'parley', ...messages] = process.argv;
const agent = spawn(program, ['--mode', 'rpc', '--no-session'], { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (command) => agent.stdin.write(`${JSON.stringify(command)}\n`);

const pending = new Map();
const byId = [];
const byTurn = [];
const shown = [];

function textOf(result) {
  if (typeof result === 'string') return result;
  return result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function display({ name, args, result }) {
  if (name === 'bash') return `$ ${args.command}\n${textOf(result)}`;
  if (name === 'read') return `read ${args.path}\n${textOf(result).slice(0, 500)}`;
  if (name === 'write') return `wrote ${args.path}`;
  if (name === 'edit') return `edited ${args.path}`;
  return `${name}: ${textOf(result).slice(0, 200)}`;
}

const hear = {
  tool_execution_start: ({ toolCallId, toolName, args }) => pending.set(toolCallId, { name: toolName, args }),
  tool_execution_end({ toolCallId, result, isError }) {
    const joined = { ...pending.get(toolCallId), result, isError };
    pending.delete(toolCallId);
    shown.push(display(joined));
    byId.push({ id: toolCallId, name: joined.name, args: joined.args, text: textOf(result), isError });
  },
  turn_end({ message, toolResults }) {
    for (const call of message.content.filter(({ type }) => type === 'toolCall')) {
      const result = toolResults.find(({ toolCallId }) => toolCallId === call.id);
      const { isError } = result;
      byTurn.push({ id: call.id, name: call.name, args: call.arguments, text: textOf(result), isError });
    }
  },
  agent_end: next,
};

function next() {
  const message = messages.shift();
  if (message === undefined) agent.stdin.end();
  else send({ type: 'prompt', message });
}

createInterface({ input: agent.stdout }).on('line', (line) => {
  const event = JSON.parse(line);
  hear[event.type]?.(event);
});
agent.on('exit', (code) => {
  process.stdout.write(`${JSON.stringify({ byId, byTurn, shown, left: pending.size, code })}\n`);
});
next();
