// A minimal text stream in the format of each model API, for the build-time warm-up and the benchmarks. Requests are not checked.
// @ts-check
import { crc32 } from './crc32.mjs';

/**
 * @typedef {object} ApiStream
 * @property {string} api
 * @property {string} type The content type of the stream.
 * @property {(deltas: number) => Buffer} frames
 * @property {(url: string) => object} model
 * @property {Record<string, unknown>} auth
 */

const WORD = 'word ';
const sseEvent = (/** @type {object} */ data, /** @type {string} */ event = '') =>
  `${event && `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
/** @type {(begin: string, delta: string, end: string) => (deltas: number) => Buffer} */
const repeatDelta = (begin, delta, end) => (deltas) => Buffer.from(begin + delta.repeat(deltas) + end);

/** @type {(type: string, payload: object) => Buffer} */
function encodeEventStreamMessage(type, payload) {
  const pairs = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' };
  const headers = Buffer.concat(
    Object.entries(pairs).map(([name, value]) =>
      Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7, 0, value.length]),
        Buffer.from(value),
      ]),
    ),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const message = Buffer.alloc(16 + headers.length + body.length);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(headers.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  headers.copy(message, 12);
  body.copy(message, 12 + headers.length);
  message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
  return message;
}

/** @type {(api: string, provider: string, id: string, path?: string) => (url: string) => object} */
const createModel =
  (api, provider, id, path = '') =>
  (url) => ({
    id,
    name: id,
    api,
    provider,
    baseUrl: url + path,
    reasoning: false,
    input: ['text'],
    contextWindow: 200_000,
    maxTokens: 8000,
    cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  });

const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
const responses = repeatDelta(
  sseEvent({ type: 'response.created', response: { id: 'r' } }, 'response.created') +
    sseEvent({ type: 'response.output_item.added', output_index: 0, item }, 'response.output_item.added'),
  sseEvent(
    { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: WORD },
    'response.output_text.delta',
  ),
  sseEvent(
    { type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } },
    'response.completed',
  ),
);
const gemini = repeatDelta(
  '',
  sseEvent({ candidates: [{ content: { parts: [{ text: WORD }], role: 'model' }, index: 0 }] }),
  sseEvent({ candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP', index: 0 }] }),
);
const SSE = 'text/event-stream';

/** @type {readonly ApiStream[]} */
export const API_STREAMS = [
  {
    api: 'anthropic-messages',
    type: SSE,
    model: createModel('anthropic-messages', 'anthropic', 'claude-haiku-4-5'),
    auth: { apiKey: 'k' },
    frames: repeatDelta(
      sseEvent({ type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } }, 'message_start') +
        sseEvent(
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          'content_block_start',
        ),
      sseEvent(
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: WORD } },
        'content_block_delta',
      ),
      sseEvent({ type: 'content_block_stop', index: 0 }, 'content_block_stop') +
        sseEvent(
          { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
          'message_delta',
        ) +
        sseEvent({ type: 'message_stop' }, 'message_stop'),
    ),
  },
  {
    api: 'openai-responses',
    type: SSE,
    model: createModel('openai-responses', 'openai', 'gpt-4.1'),
    auth: { apiKey: 'k' },
    frames: responses,
  },
  {
    api: 'openai-completions',
    type: SSE,
    model: createModel('openai-completions', 'groq', 'llama'),
    auth: { apiKey: 'k' },
    frames: repeatDelta(
      '',
      sseEvent({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: WORD } }] }),
      `${sseEvent({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`,
    ),
  },
  {
    api: 'azure-openai-responses',
    type: SSE,
    model: createModel('azure-openai-responses', 'azure', 'gpt-4.1'),
    auth: { apiKey: 'k' },
    frames: responses,
  },
  {
    api: 'google-generative-ai',
    type: SSE,
    model: createModel('google-generative-ai', 'google', 'gemini-2.0-flash', '/v1beta'),
    auth: { apiKey: 'k' },
    frames: gemini,
  },
  {
    api: 'google-vertex',
    type: SSE,
    model: createModel('google-vertex', 'google-vertex', 'gemini-2.0-flash'),
    auth: { apiKey: 'ya29.t' },
    frames: gemini,
  },
  {
    api: 'bedrock-converse-stream',
    type: 'application/vnd.amazon.eventstream',
    model: createModel('bedrock-converse-stream', 'amazon-bedrock', 'amazon.nova-pro-v1:0'),
    auth: { apiKey: 'k' },
    frames(deltas) {
      const delta = encodeEventStreamMessage('contentBlockDelta', { contentBlockIndex: 0, delta: { text: WORD } });
      return Buffer.concat([
        encodeEventStreamMessage('messageStart', { role: 'assistant' }),
        ...Array.from({ length: deltas }, () => delta),
        encodeEventStreamMessage('contentBlockStop', { contentBlockIndex: 0 }),
        encodeEventStreamMessage('messageStop', { stopReason: 'end_turn' }),
        encodeEventStreamMessage('metadata', {
          usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
          metrics: { latencyMs: 1 },
        }),
      ]);
    },
  },
];
