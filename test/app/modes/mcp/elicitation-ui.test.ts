// Dialogs as elicitation requests: forms, answers, timeouts and withdrawal.
import { expect, test } from 'vitest';
import {
  canElicitForms,
  createElicitationUi,
  type Elicit,
} from '../../../../src/app/modes/mcp/server/elicitation-ui.ts';
import type { UiQuestion } from '../../../../src/contracts/index.ts';
import { createFakeClock } from '../../../../src/testing/fake-clock.ts';

const APPROVAL: UiQuestion = {
  method: 'select',
  title: 'Allow bash?',
  message: 'bash {"command":"ls"}',
  options: ['allow', 'deny'],
  toolCall: { toolCallId: 'c', toolName: 'bash', args: {}, cwd: '/' },
};

const clock = createFakeClock();
const createUi = (elicit: Elicit | undefined) =>
  createElicitationUi(() => elicit, { clock, closed: new Promise(() => {}) });

test.each<[UiQuestion, object]>([
  [APPROVAL, { type: 'string', title: 'Allow bash?', enum: ['allow', 'deny'] }],
  [
    { method: 'confirm', title: 'Sure?', message: 'really' },
    { type: 'boolean', title: 'Sure?' },
  ],
  [
    { method: 'input', title: 'Name', placeholder: 'a' },
    { type: 'string', title: 'Name', description: 'a' },
  ],
  [
    { method: 'editor', title: 'Text', prefill: 'b' },
    { type: 'string', title: 'Text', default: 'b' },
  ],
])('the form of %j', async (question, field) => {
  const sent: unknown[] = [];
  await createUi(async (params) => void sent.push(params)).ask(question);
  const message = 'message' in question ? `${question.title}\n\n${question.message}` : question.title;
  expect(sent).toEqual([
    { message, requestedSchema: { type: 'object', properties: { answer: field }, required: ['answer'] } },
  ]);
});

const accept = (answer: unknown) => ({ action: 'accept', content: { answer } });

test.each<[UiQuestion, unknown, object | undefined]>([
  [APPROVAL, accept('allow'), { value: 'allow' }],
  [APPROVAL, accept('allow '), undefined],
  [APPROVAL, accept(true), undefined],
  [APPROVAL, { action: 'accept' }, undefined],
  [APPROVAL, { action: 'decline' }, { value: 'deny' }],
  [APPROVAL, { action: 'cancel', content: { answer: 'allow' } }, undefined],
  [APPROVAL, 'allow', undefined],
  [APPROVAL, undefined, undefined],
  [{ method: 'confirm', title: 'Sure?', message: '' }, accept(true), { confirmed: true }],
  [{ method: 'confirm', title: 'Sure?', message: '' }, accept('true'), undefined],
  [{ method: 'input', title: 'Name' }, accept('x'), { value: 'x' }],
  [{ method: 'input', title: 'Name' }, { action: 'decline' }, undefined],
])('%j answered with %j', async (question, result, answer) => {
  expect(await createUi(async () => result).ask(question)).toEqual(answer);
});

test('without a client that can ask there is no answer', async () => {
  expect(await createUi(undefined).ask(APPROVAL)).toBeUndefined();
});

/** Resolves without a result when its signal aborts, as the connection does. */
const waitForAbort: Elicit = (_, signal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));

test('a question is withdrawn after its timeout, and when the run is aborted', async () => {
  const ui = createUi(waitForAbort);
  const timedOut = ui.ask(APPROVAL, { timeout: 30_000 });
  await clock.advance(30_000);
  expect(await timedOut).toBeUndefined();
  const controller = new AbortController();
  const aborted = ui.ask(APPROVAL, { signal: controller.signal });
  controller.abort();
  expect(await aborted).toBeUndefined();
  expect(await ui.ask(APPROVAL, { signal: controller.signal })).toBeUndefined();
});

test.each([
  [{}, false],
  [{ elicitation: true }, false],
  [{ elicitation: {} }, true],
  [{ elicitation: { form: {} } }, true],
  [{ elicitation: { form: {}, url: {} } }, true],
  [{ elicitation: { url: {} } }, false],
])('capabilities %j', (capabilities, expected) => {
  expect(canElicitForms(capabilities)).toBe(expected);
});
