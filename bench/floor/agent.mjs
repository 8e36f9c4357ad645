// The baseline of the benchmarks: a minimal agent. It answers get_state, converts a model stream to message_update lines and runs
// shell commands. It has no sessions, no checks and no error handling.
// @ts-check

let pending = '';
process.stdin.on('data', (chunk) => {
  const lines = (pending + chunk).split('\n');
  pending = lines.pop() ?? '';
  for (const line of lines) void handleCall(JSON.parse(line));
});

/** @param {object} frame */
function send(frame) {
  process.stdout.write(`${JSON.stringify(frame)}\n`);
}

/** @param {{ id?: string, type: string, message: string }} call */
async function handleCall({ id, type, message }) {
  send({
    id,
    type: 'response',
    command: type,
    success: true,
    ...(type === 'get_state' ? { data: { isStreaming: false } } : {}),
  });
  if (type !== 'prompt') return;
  send({ type: 'agent_start' });
  /** @type {object[]} */
  const messages = [{ role: 'user', content: message }];
  for (let command = await runTurn(messages); command !== undefined; command = await runTurn(messages)) {
    messages.push({ role: 'tool', tool_call_id: 'call_1', content: await runCommand(command) });
    send({ type: 'turn_end' });
  }
  send({ type: 'agent_end', messages });
  send({ type: 'agent_settled', aborted: false });
}

/**
 * Streams one answer of the model. Returns the command of its tool call.
 * @param {object[]} messages
 * @returns {Promise<string | undefined>}
 */
async function runTurn(messages) {
  const body = JSON.stringify({ model: 'baseline', stream: true, messages });
  const { request } = await import('node:http');
  /** @type {import('node:http').IncomingMessage} */
  const response = await new Promise((resolve, reject) => {
    request(`${process.env.MODEL_URL}/chat/completions`, { method: 'POST' }, resolve).on('error', reject).end(body);
  });
  let [text, call, rest] = ['', '', ''];
  response.setEncoding('utf8');
  for await (const chunk of response) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const { delta } = JSON.parse(line.slice(6)).choices[0];
      call += delta.tool_calls?.[0].function.arguments ?? '';
      if (!delta.content) continue;
      text += delta.content;
      send({
        type: 'message_update',
        assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: delta.content },
      });
    }
  }
  messages.push({ role: 'assistant', content: text });
  return call === '' ? undefined : JSON.parse(call).command;
}

/** @param {string} command */
async function runCommand(command) {
  send({ type: 'tool_execution_start', toolName: 'bash', args: { command } });
  const { spawn } = await import('node:child_process');
  const child = spawn('/bin/bash', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  await new Promise((resolve) => child.on('close', resolve));
  send({ type: 'tool_execution_end', toolName: 'bash', result: { content: [{ type: 'text', text: output }] } });
  return output;
}
