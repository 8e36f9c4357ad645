// Keep-alive events are not progress of the reply; content is.
import { expect, test } from 'vitest';
import type { ApiRequest } from '../../../src/contracts/index.ts';
import { createReader as anthropic } from '../../../src/llm/apis/anthropic-messages/reader.ts';
import { createReader as chat } from '../../../src/llm/apis/openai-completions/reader.ts';
import { createReader as responses } from '../../../src/llm/apis/openai-responses/reader.ts';
import { MessageBuilder } from '../../../src/llm/message-builder.ts';
import { claude, createRequest } from './anthropic-fixture.ts';

const usage = { input_tokens: 5, output_tokens: 0 };
const chunk = (delta: object, fields: object = {}) => ({ choices: [{ index: 0, delta }], ...fields });
const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [], status: 'in_progress' };

const FORMATS = [
  [
    'anthropic-messages',
    anthropic,
    [{ type: 'message_start', message: { usage } }, { type: 'ping' }, { type: 'something_new' }],
    [
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'abc' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    ],
  ],
  [
    'openai-completions',
    chat,
    [chunk({ role: 'assistant', content: '' }), chunk({ content: '' }, { usage: { prompt_tokens: 5 } }), chunk({})],
    [
      chunk({ content: 'Hello' }),
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: 'read', arguments: '{' } }] }),
      chunk({ tool_calls: [{ index: 1, function: { arguments: '}' } }] }),
    ],
  ],
  [
    'openai-responses',
    responses,
    [{ type: 'response.created', response: {} }, { type: 'response.in_progress', response: {} }, { type: 'keepalive' }],
    [
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_text.delta', output_index: 0, delta: 'Hello' },
      { type: 'response.output_text.delta', output_index: 1, delta: 'queued' },
    ],
  ],
] as const;

test.each(FORMATS)('%s', (_name, createReader, pings, contents) => {
  const request: ApiRequest = createRequest(claude('m'));
  const builder = new MessageBuilder(request.model, 0);
  const reader = createReader(builder, request);
  const makesProgress = (event: object) => {
    const before = builder.progress;
    for (const _ of reader.read({ event: undefined, data: JSON.stringify(event) }));
    return builder.progress !== before;
  };
  expect(pings.map(makesProgress)).toEqual(pings.map(() => false));
  expect(contents.map(makesProgress)).toEqual(contents.map(() => true));
  expect(pings.slice(1).map(makesProgress)).toEqual(pings.slice(1).map(() => false));
});
