// UI requests: why a question has no answer, and which requests are withdrawn.
import { expect, test } from 'vitest';
import type { AgentSession, AskOptions, UiQuestion } from '../../src/contracts/index.ts';
import type { UiRequest } from '../../src/protocol/index.ts';
import { createPendingUiRequests } from '../../src/server/pending-ui-requests.ts';
import { createCountingIds, createFakeClock } from '../../src/testing/index.ts';

const toolCall = { toolCallId: 'c', toolName: 'bash', args: {}, cwd: '/' };
const approval: UiQuestion = { method: 'select', title: 'Allow?', message: 'x', options: ['allow', 'deny'], toolCall };
const input: UiQuestion = { method: 'input', title: 'Name?' };

function createHost(canShow = true) {
  const clock = createFakeClock();
  const sent: UiRequest[] = [];
  const requests = createPendingUiRequests({ clock, ids: createCountingIds() }, (request) => {
    if (canShow) sent.push(request);
    return canShow;
  });
  const ui = requests.createHostUi({} as AgentSession);
  const ask = async (question: UiQuestion, options: AskOptions = {}) => {
    const reasons: string[] = [];
    const answer = await ui.ask(question, { ...options, onNoAnswer: (reason) => void reasons.push(reason) });
    return answer ?? reasons;
  };
  return { clock, sent, requests, ask, lastId: () => sent.at(-1)?.id ?? '' };
}

test('an answer is returned with its message, without a reason', async () => {
  const { ask, requests, lastId } = createHost();
  const asked = ask(approval);
  requests.resolve(lastId(), { value: 'deny', message: 'use pnpm' });
  expect(await asked).toEqual({ value: 'deny', message: 'use pnpm' });
});

test.each([
  [{ cancelled: true } as const, 'dismissed'],
  [{ cancelled: true, timedOut: true } as const, 'timeout'],
  [{ confirmed: true } as const, 'dismissed'],
])('the answer %j means %s', async (answer, reason) => {
  const { ask, requests, lastId, sent } = createHost();
  const asked = ask(approval);
  requests.resolve(lastId(), answer);
  expect(await asked).toEqual([reason]);
  expect(sent).toHaveLength(1);
});

test('an approval that is not answered in time is withdrawn; other dialogs end by their own timeout', async () => {
  const { ask, clock, sent, lastId } = createHost();
  const asked = ask(approval, { timeout: 1000 });
  const id = lastId();
  await clock.advance(1000);
  expect(await asked).toEqual(['timeout']);
  expect(sent.at(-1)).toMatchObject({ method: 'cancel', targetId: id, timedOut: true });
  const other = ask(input, { timeout: 1000 });
  await clock.advance(1000);
  expect(await other).toEqual(['timeout']);
  expect(sent.at(-1)).toMatchObject(input);
});

test('an aborted question is withdrawn once, and its later timeout has no effect', async () => {
  const { ask, clock, sent, lastId } = createHost();
  const controller = new AbortController();
  const asked = ask(approval, { timeout: 1000, signal: controller.signal });
  const id = lastId();
  controller.abort();
  await clock.advance(1000);
  expect(await asked).toEqual(['aborted']);
  expect(sent.slice(1)).toEqual([{ id: expect.any(String), method: 'cancel', targetId: id }]);
  expect(await ask(approval, { signal: controller.signal })).toEqual(['aborted']);
  expect(sent).toHaveLength(2);
});

test('a host that closes leaves its questions unanswered, also later ones', async () => {
  const { ask, requests } = createHost();
  const asked = ask(approval);
  requests.close();
  expect(await asked).toEqual(['closed']);
  expect(await ask(approval)).toEqual(['closed']);
});

test('a dialect that cannot show the question', async () => {
  expect(await createHost(false).ask(approval)).toEqual(['unsupported']);
});
