// The model of the baseline: a loopback server that streams chat completions for the requests of the benchmarks.
// @ts-check
import { createServer } from 'node:http';

/** The offline model yields to the event loop as often. */
const DELTAS_PER_PAUSE = 32;

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { messages } = JSON.parse(body);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let sent = 0;
  for (const choice of createChoices(messages.at(-1))) {
    response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })}\n\n`,
    );
    if (++sent % DELTAS_PER_PAUSE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  response.end('data: [DONE]\n\n');
});

/** @param {{ role: string, content: string | { text: string }[] }} message */
function* createChoices({ role, content }) {
  const text = typeof content === 'string' ? content : (content[0]?.text ?? '');
  const count = Number(/^count to (\d+)$/.exec(text)?.[1] ?? 0);
  const command = /^run `(.+)`$/.exec(text)?.[1];
  if (command !== undefined) {
    const call = { name: 'bash', arguments: JSON.stringify({ command }) };
    yield { delta: { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] } };
    yield { delta: {}, finish_reason: 'tool_calls' };
    return;
  }
  for (let n = 1; n <= count; n++) yield { delta: { content: n === count ? `${n}` : `${n} ` } };
  if (count === 0) yield { delta: { content: role === 'tool' ? 'Done.' : 'Hello.' } };
  yield { delta: {}, finish_reason: 'stop' };
}

server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
// Exits when the parent process closes stdin.
process.stdin.resume().on('end', () => process.exit());
