// Approvals and questions as permission requests.
import { expect, test } from 'vitest';
import type { UiRequest } from '../../../../src/protocol/index.ts';
import { FakeClient } from './fake-client.ts';

const PERMISSION = 'session/request_permission';

const approval = {
  id: 'ui-1',
  method: 'select',
  title: 'Allow bash?',
  message: 'bash {"command":"npm test"}',
  options: ['allow', 'deny', 'allow_session'],
  toolCall: { toolCallId: 'call-1', toolName: 'bash', args: { command: 'npm test' }, cwd: '/project' },
} satisfies UiRequest;
const confirmation: UiRequest = { id: 'ui-2', method: 'confirm', title: 'Trust /project?', message: 'It has rules.' };
const selection: UiRequest = { id: 'ui-3', method: 'select', title: 'Which one?', options: ['red', 'green'] };

const select = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });

test('an approval describes the tool call and offers four options', () => {
  const client = new FakeClient();
  expect(client.ask(approval)).toBe(true);
  expect(client.find(PERMISSION).params).toMatchObject({
    sessionId: 'session-1',
    toolCall: {
      toolCallId: 'call-1',
      kind: 'execute',
      status: 'pending',
      title: expect.stringContaining('npm test'),
      rawInput: { command: 'npm test' },
      locations: [],
    },
    options: [
      { optionId: 'allow_once', kind: 'allow_once', name: 'Allow' },
      { optionId: 'allow_session', kind: 'allow_always', name: 'Allow bash in this session' },
      { optionId: 'reject_once', kind: 'reject_once', name: 'Reject' },
      { optionId: 'reject_always', kind: 'reject_always', name: 'Always reject bash in this session' },
    ],
  });
});

test('the options that keep a permission name what it covers', () => {
  const client = new FakeClient();
  const rules = ['bash(npm test)', 'bash(echo \u202e)'];
  const toolCall = { ...approval.toolCall, rules, sessionScope: 'bash(npm test)', reason: 'A rule asks.' };
  client.ask({ ...approval, options: [...approval.options, 'allow_always'], toolCall });
  expect(client.last.params).toMatchObject({
    toolCall: {
      content: expect.arrayContaining([{ type: 'content', content: { type: 'text', text: 'A rule asks.' } }]),
    },
    options: [
      { name: 'Allow' },
      { name: 'Allow bash(npm test) in this session' },
      { name: 'Always allow bash(npm test), bash(echo \\u202e) (saved in your settings)', kind: 'allow_always' },
      { name: 'Reject' },
      { name: 'Always reject bash in this session' },
    ],
  });
  expect(client.respond(PERMISSION, select('allow_always'))).toMatchObject({ answer: { value: 'allow_always' } });
});

test('what is not offered is no option', () => {
  const client = new FakeClient();
  client.ask({ ...approval, options: ['allow', 'deny'] });
  const optionIds = ['allow_once', 'reject_once', 'reject_always'];
  expect(client.last.params.options).toEqual(optionIds.map((optionId) => expect.objectContaining({ optionId })));
});

test.each([
  [{ parley: { message: 'use pnpm' } }, { value: 'deny', message: 'use pnpm' }],
  [{ parley: { message: 1 } }, { value: 'deny' }],
  [{ parley: 'use pnpm' }, { value: 'deny' }],
  [{ message: 'use pnpm' }, { value: 'deny' }],
  [null, { value: 'deny' }],
])('the metadata %j of a rejection', (_meta, answer) => {
  const client = new FakeClient();
  client.ask(approval);
  const response = { ...select('reject_once'), _meta };
  expect(client.respond(PERMISSION, response)).toEqual({ kind: 'answer', id: 'ui-1', answer });
});

test('an edit is shown as a diff with its location', () => {
  const client = new FakeClient();
  const args = { path: 'a.ts', oldText: 'one', newText: 'two' };
  client.ask({ ...approval, toolCall: { toolCallId: 'c', toolName: 'edit', args, cwd: '/project' } });
  expect(client.last.params.toolCall).toMatchObject({
    kind: 'edit',
    locations: [{ path: '/project/a.ts' }],
    content: [{ type: 'diff', path: '/project/a.ts', oldText: 'one', newText: 'two' }],
  });
});

test.each([
  ['allow_once', { value: 'allow' }],
  ['allow_session', { value: 'allow_session' }],
  ['reject_once', { value: 'deny' }],
  ['reject_always', { value: 'deny_session' }],
  ['allow_always', { cancelled: true }],
  ['allow', { cancelled: true }],
  ['', { cancelled: true }],
])('option %s', (optionId, answer) => {
  const client = new FakeClient();
  client.ask(approval);
  expect(client.respond(PERMISSION, select(optionId))).toEqual({ kind: 'answer', id: 'ui-1', answer });
  expect(client.methods).toEqual([PERMISSION]);
});

test.each([
  { outcome: { outcome: 'cancelled' } },
  { outcome: { outcome: 'cancelled', optionId: 'allow_once' } },
  { outcome: { optionId: 'allow_once' } },
  { outcome: 'allow_once' },
  { optionId: 'allow_once' },
  'allow_once',
  null,
  undefined,
  [],
])('the result %j is no answer', (result) => {
  const client = new FakeClient();
  client.ask(approval);
  expect(client.respond(PERMISSION, result)).toEqual({ kind: 'answer', id: 'ui-1', answer: { cancelled: true } });
});

test('an error response is no answer', () => {
  const client = new FakeClient();
  client.ask(approval);
  expect(client.refuse(PERMISSION)).toEqual({ kind: 'answer', id: 'ui-1', answer: { cancelled: true } });
});

test('an approval is a permission request also when the client has forms', () => {
  const client = new FakeClient({ elicitationForm: true });
  client.ask(approval);
  expect(client.methods).toEqual([PERMISSION]);
});

test.each([
  ['yes', { confirmed: true }],
  ['no', { confirmed: false }],
])('a confirmation is answered with %s', (optionId, answer) => {
  const client = new FakeClient();
  client.ask(confirmation);
  expect(client.last.params).toMatchObject({
    toolCall: {
      toolCallId: 'question-ui-2',
      title: 'Trust /project?',
      kind: 'other',
      content: [{ type: 'content', content: { type: 'text', text: 'It has rules.' } }],
    },
    options: [
      { optionId: 'yes', kind: 'allow_once', name: 'Yes' },
      { optionId: 'no', kind: 'reject_once', name: 'No' },
    ],
  });
  expect(client.respond(PERMISSION, select(optionId))).toEqual({ kind: 'answer', id: 'ui-2', answer });
  expect(client.last.params.update).toEqual({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'question-ui-2',
    status: 'completed',
  });
});

test('a selection has one option per choice', () => {
  const client = new FakeClient();
  client.ask(selection);
  expect(client.last.params.options).toEqual([
    { optionId: 'choice_1', kind: 'allow_once', name: 'red' },
    { optionId: 'choice_2', kind: 'allow_once', name: 'green' },
  ]);
  expect(client.respond(PERMISSION, select('choice_2'))).toEqual({
    kind: 'answer',
    id: 'ui-3',
    answer: { value: 'green' },
  });
});

test.each<UiRequest>([
  { id: 'a', method: 'select', title: 'None', options: [] },
  { id: 'a', method: 'input', title: 'Name?' },
  { id: 'a', method: 'editor', title: 'Text' },
  { id: 'a', method: 'open_url', url: 'https://example.com' },
  { id: 'a', method: 'notify', message: 'Done' },
  { id: 'a', method: 'setStatus', statusKey: 'k', statusText: 't' },
  { id: 'a', method: 'setTitle', title: 't' },
  { id: 'a', method: 'cancel', targetId: 'unknown' },
])('a client without capabilities is not asked: $method', (request) => {
  const client = new FakeClient({});
  expect(client.ask(request)).toBe(false);
  expect(client.received).toEqual([]);
});

test('a cancelled request is withdrawn, and its late answer is ignored', () => {
  const client = new FakeClient();
  client.ask(approval);
  const { id } = client.find(PERMISSION);
  expect(client.ask({ id: 'ui-9', method: 'cancel', targetId: 'ui-1' })).toBe(true);
  expect(client.last).toEqual({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: id } });
  expect(client.respond(PERMISSION, select('allow_once'))).toEqual({ kind: 'ignored' });
  expect(client.ask({ id: 'ui-10', method: 'cancel', targetId: 'ui-1' })).toBe(false);
});

test('a withdrawn question is shown as failed', () => {
  const client = new FakeClient();
  client.ask(confirmation);
  client.ask({ id: 'ui-9', method: 'cancel', targetId: 'ui-2' });
  expect(client.methods).toEqual([PERMISSION, '$/cancel_request', 'session/update']);
  expect(client.last.params.update).toMatchObject({ toolCallId: 'question-ui-2', status: 'failed' });
});

test('a second response to the same request is ignored', () => {
  const client = new FakeClient();
  client.ask(approval);
  client.respond(PERMISSION, select('reject_once'));
  expect(client.respond(PERMISSION, select('allow_always'))).toEqual({ kind: 'ignored' });
});

test.each([0, 99, '1', null, undefined, {}])('a response with the unknown id %j is ignored', (id) => {
  const client = new FakeClient();
  client.ask(approval);
  expect(client.connection.receiveResponse({ id, result: select('allow_once') })).toEqual({ kind: 'ignored' });
});

test('each request has its own id', () => {
  const client = new FakeClient();
  client.ask(approval);
  client.ask(confirmation);
  const [first, second] = client.received;
  expect(first?.id).not.toBe(second?.id);
});

test('after close an answer is ignored', () => {
  const client = new FakeClient();
  client.ask(approval);
  client.connection.close();
  expect(client.respond(PERMISSION, select('allow_once'))).toEqual({ kind: 'ignored' });
});
