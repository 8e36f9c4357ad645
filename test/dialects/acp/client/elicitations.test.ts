// Questions as forms, pages to open, and notices.
import { describe, expect, test } from 'vitest';
import type { UiRequest } from '../../../../src/protocol/index.ts';
import { FakeClient } from './fake-client.ts';

const CREATE = 'elicitation/create';

const confirmation: UiRequest = { id: 'ui', method: 'confirm', title: 'Trust it?', message: 'It has rules.' };
const selection: UiRequest = { id: 'ui', method: 'select', title: 'Which?', options: ['red', 'green', 'red'] };
const input: UiRequest = { id: 'ui', method: 'input', title: 'Name?', placeholder: 'first name' };
const editor: UiRequest = { id: 'ui', method: 'editor', title: 'Message', prefill: 'fix: ' };

describe('the form', () => {
  test.each<[UiRequest, string, object, string[] | undefined]>([
    [confirmation, 'Trust it?\n\nIt has rules.', { type: 'boolean', title: 'Trust it?' }, ['answer']],
    [selection, 'Which?', { type: 'string', title: 'Which?', enum: ['red', 'green'] }, ['answer']],
    [input, 'Name?', { type: 'string', title: 'Name?', description: 'first name' }, undefined],
    [editor, 'Message', { type: 'string', title: 'Message', default: 'fix: ' }, undefined],
  ])('$method', (request, message, field, required) => {
    const client = new FakeClient({ elicitationForm: true });
    expect(client.ask(request)).toBe(true);
    expect(client.find(CREATE).params).toEqual({
      sessionId: 'session-1',
      mode: 'form',
      message,
      requestedSchema: { type: 'object', properties: { answer: field }, ...(required ? { required } : {}) },
    });
  });
});

const accept = (answer: unknown) => ({ action: 'accept', content: { answer } });

test.each<[UiRequest, unknown, object]>([
  [confirmation, accept(true), { confirmed: true }],
  [confirmation, accept(false), { confirmed: false }],
  [confirmation, { action: 'decline' }, { confirmed: false }],
  [confirmation, { action: 'cancel' }, { cancelled: true }],
  [confirmation, { action: 'accept' }, { cancelled: true }],
  [confirmation, accept('true'), { cancelled: true }],
  [confirmation, { action: '_other', content: { answer: true } }, { cancelled: true }],
  [confirmation, null, { cancelled: true }],
  [selection, accept('green'), { value: 'green' }],
  [selection, accept('blue'), { cancelled: true }],
  [selection, accept(1), { cancelled: true }],
  [selection, { action: 'decline' }, { cancelled: true }],
  [input, accept('Ada'), { value: 'Ada' }],
  [input, accept(7), { cancelled: true }],
  [input, { action: 'accept', content: {} }, { value: '' }],
  [input, { action: 'cancel' }, { cancelled: true }],
  [editor, accept('fix: it\nnow'), { value: 'fix: it\nnow' }],
  [editor, { action: 'decline' }, { cancelled: true }],
])('$method with the result %j', (request, result, answer) => {
  const client = new FakeClient({ elicitationForm: true });
  client.ask(request);
  expect(client.respond(CREATE, result)).toEqual({ kind: 'answer', id: 'ui', answer });
});

test('an error response is no answer', () => {
  const client = new FakeClient({ elicitationForm: true });
  client.ask(confirmation);
  expect(client.refuse(CREATE)).toEqual({ kind: 'answer', id: 'ui', answer: { cancelled: true } });
});

test('a withdrawn form is cancelled', () => {
  const client = new FakeClient({ elicitationForm: true });
  client.ask(input);
  client.ask({ id: 'other', method: 'cancel', targetId: 'ui' });
  expect(client.methods).toEqual([CREATE, '$/cancel_request']);
  expect(client.respond(CREATE, accept('late'))).toEqual({ kind: 'ignored' });
});

test('a page is opened where the client offers it', () => {
  const client = new FakeClient({ elicitationUrl: true });
  expect(client.ask({ id: 'ui', method: 'open_url', url: 'https://example.com/a', instructions: 'Sign in' })).toBe(
    true,
  );
  expect(client.find(CREATE).params).toEqual({
    sessionId: 'session-1',
    mode: 'url',
    elicitationId: 'ui',
    url: 'https://example.com/a',
    message: 'Sign in',
  });
});

test.each([
  ['One line', undefined, { severity: 'info', title: 'One line' }],
  ['First\nsecond\nthird\n', 'error' as const, { severity: 'error', title: 'First', description: 'second\nthird' }],
])('a notification is a notice: %j', (message, notifyType, expected) => {
  const client = new FakeClient({ notices: true });
  client.ask({ id: 'ui', method: 'notify', message, ...(notifyType ? { notifyType } : {}) });
  expect(client.last.params).toEqual({ sessionId: 'session-1', update: { sessionUpdate: 'notice', ...expected } });
});

test('an empty notification is not sent', () => {
  expect(new FakeClient({ notices: true }).ask({ id: 'ui', method: 'notify', message: ' \n' })).toBe(false);
});
