// A worker process: a model that streams chat completions at a constant rate. Each delta contains the time at which it was written.
// @ts-check
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { answerCalls, sharedNow } from './worker.mjs';

const server = createServer(async (request, response) => {
  const { messages } = JSON.parse(await text(request));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const [, rate, seconds] = /stream (\d+) per second for (\d+) seconds/.exec(JSON.stringify(messages.at(-1))) ?? [];
  if (rate === undefined) {
    writeChoice(response, { delta: { content: 'Hello.' } });
    endAnswer(response);
  } else streamTimes(response, Number(rate), Number(rate) * Number(seconds));
});

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} rate Deltas per second.
 * @param {number} count
 */
function streamTimes(response, rate, count) {
  const intervalMs = 1000 / rate;
  // Streams that were started together must not write at the same instants.
  const start = sharedNow() + Math.random() * intervalMs;
  let sent = 0;
  const step = () => {
    const now = sharedNow();
    for (; sent < count && start + sent * intervalMs <= now; sent++)
      writeChoice(response, { delta: { content: `@${sharedNow().toFixed(3)} ` } });
    if (response.destroyed) return;
    if (sent < count) setTimeout(step, Math.max(0, start + sent * intervalMs - sharedNow()));
    else endAnswer(response);
  };
  step();
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {object} choice
 */
function writeChoice(response, choice) {
  const chunk = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

/** @param {import('node:http').ServerResponse} response */
function endAnswer(response) {
  writeChoice(response, { delta: {}, finish_reason: 'stop' });
  response.end('data: [DONE]\n\n');
}

answerCalls({
  listen: () =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
        resolve(`http://127.0.0.1:${port}/v1`);
      });
    }),
});
