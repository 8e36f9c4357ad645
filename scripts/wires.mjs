// The least stream of text that each model API understands, for rehearsals and the bench. Frames only; no checks.
// @ts-check
import { crc32 } from './crc32.mjs';

/**
 * @typedef {object} Wire
 * @property {string} api
 * @property {string} type The content type of its stream.
 * @property {(deltas: number) => Buffer} frames
 * @property {(url: string) => object} model
 * @property {Record<string, unknown>} door
 */

const WORD = 'word ';
const json = (/** @type {object} */ data, /** @type {string} */ event = '') =>
  `${event && `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
/** @type {(begin: string, delta: string, end: string) => (deltas: number) => Buffer} */
const texts = (begin, delta, end) => (deltas) => Buffer.from(begin + delta.repeat(deltas) + end);

/** @type {(type: string, payload: object) => Buffer} */
function amazon(type, payload) {
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
const modelOf =
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
const responses = texts(
  json({ type: 'response.created', response: { id: 'r' } }, 'response.created') +
    json({ type: 'response.output_item.added', output_index: 0, item }, 'response.output_item.added'),
  json(
    { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: WORD },
    'response.output_text.delta',
  ),
  json({ type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } }, 'response.completed'),
);
const gemini = texts(
  '',
  json({ candidates: [{ content: { parts: [{ text: WORD }], role: 'model' }, index: 0 }] }),
  json({ candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP', index: 0 }] }),
);
const SSE = 'text/event-stream';

/** @type {readonly Wire[]} */
export const WIRES = [
  {
    api: 'anthropic-messages',
    type: SSE,
    model: modelOf('anthropic-messages', 'anthropic', 'claude-haiku-4-5'),
    door: { apiKey: 'k' },
    frames: texts(
      json({ type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } }, 'message_start') +
        json(
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          'content_block_start',
        ),
      json({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: WORD } }, 'content_block_delta'),
      json({ type: 'content_block_stop', index: 0 }, 'content_block_stop') +
        json(
          { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
          'message_delta',
        ) +
        json({ type: 'message_stop' }, 'message_stop'),
    ),
  },
  {
    api: 'openai-responses',
    type: SSE,
    model: modelOf('openai-responses', 'openai', 'gpt-4.1'),
    door: { apiKey: 'k' },
    frames: responses,
  },
  {
    api: 'openai-completions',
    type: SSE,
    model: modelOf('openai-completions', 'groq', 'llama'),
    door: { apiKey: 'k' },
    frames: texts(
      '',
      json({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: WORD } }] }),
      `${json({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`,
    ),
  },
  {
    api: 'azure-openai-responses',
    type: SSE,
    model: modelOf('azure-openai-responses', 'azure', 'gpt-4.1'),
    door: { apiKey: 'k' },
    frames: responses,
  },
  {
    api: 'google-generative-ai',
    type: SSE,
    model: modelOf('google-generative-ai', 'google', 'gemini-2.0-flash', '/v1beta'),
    door: { apiKey: 'k' },
    frames: gemini,
  },
  {
    api: 'google-vertex',
    type: SSE,
    model: modelOf('google-vertex', 'google-vertex', 'gemini-2.0-flash'),
    door: { apiKey: 'ya29.t' },
    frames: gemini,
  },
  {
    api: 'bedrock-converse-stream',
    type: 'application/vnd.amazon.eventstream',
    model: modelOf('bedrock-converse-stream', 'amazon-bedrock', 'amazon.nova-pro-v1:0'),
    door: { apiKey: 'k' },
    frames(deltas) {
      const delta = amazon('contentBlockDelta', { contentBlockIndex: 0, delta: { text: WORD } });
      return Buffer.concat([
        amazon('messageStart', { role: 'assistant' }),
        ...Array.from({ length: deltas }, () => delta),
        amazon('contentBlockStop', { contentBlockIndex: 0 }),
        amazon('messageStop', { stopReason: 'end_turn' }),
        amazon('metadata', { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, metrics: { latencyMs: 1 } }),
      ]);
    },
  },
];
