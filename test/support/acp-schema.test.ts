// The frame checker of the ACP tests accepts what the schema declares and refuses everything else.
import { expect, test } from 'vitest';
import { createFrameChecker } from './acp-schema.ts';

const update = (value: object) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's', update: value },
});
const content = { type: 'text', text: 'hi' };
const CHUNK = { sessionUpdate: 'agent_message_chunk', content };

test.each([
  ['a chunk', CHUNK],
  ['a chunk with _meta', { ...CHUNK, _meta: { 'parley.dev/x': 1 } }],
  ['raw input of any form', { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Read', rawInput: { a: { b: 1 } } }],
  [
    'a diff',
    { sessionUpdate: 'tool_call_update', toolCallId: 'c', content: [{ type: 'diff', path: '/a', newText: '' }] },
  ],
])('accepts %s', (_, value) => {
  expect(createFrameChecker()('agent', update(value))).toEqual([]);
});

test.each([
  ['an unknown update', { ...CHUNK, sessionUpdate: 'chunk' }],
  ['an undeclared key', { ...CHUNK, parent: 'c1' }],
  ['an undeclared key in a block', { ...CHUNK, content: { ...content, color: 'red' } }],
  [
    'an undeclared key in a list',
    { sessionUpdate: 'plan', entries: [{ content: 'a', priority: 'low', status: 'pending', id: 1 }] },
  ],
  ['a wrong kind', { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Read', kind: 'write' }],
  ['a missing title', { sessionUpdate: 'tool_call', toolCallId: 'c' }],
])('refuses %s', (_, value) => {
  expect(createFrameChecker()('agent', update(value))).not.toEqual([]);
});

test('a result is checked against the method of its request, and answers one request once', () => {
  const check = createFrameChecker();
  const request = { jsonrpc: '2.0', id: 1, method: 'session/prompt', params: { sessionId: 's', prompt: [content] } };
  expect(check('client', request)).toEqual([]);
  expect(check('agent', { jsonrpc: '2.0', id: 1, result: { stopReason: 'done' } })).not.toEqual([]);
  expect(check('client', request)).toEqual([]);
  expect(check('agent', { jsonrpc: '2.0', id: 1, result: { stopReason: 'end_turn' } })).toEqual([]);
  expect(check('agent', { jsonrpc: '2.0', id: 1, result: { stopReason: 'end_turn' } })).not.toEqual([]);
  expect(check('agent', { jsonrpc: '2.0', id: 7, result: {} })).toEqual(['a response without a request: 7']);
});

test('methods that the protocol does not have need an underscore', () => {
  const check = createFrameChecker();
  expect(check('agent', { jsonrpc: '2.0', method: '_parley/event', params: {} })).toEqual([]);
  expect(check('agent', { jsonrpc: '2.0', method: 'parley/event', params: {} })).toEqual([
    'unknown method parley/event',
  ]);
});
