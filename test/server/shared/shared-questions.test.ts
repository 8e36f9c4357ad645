// Questions to several clients: the first answer counts, and a client that leaves or dismisses does not decide for the others.
import { expect, test } from 'vitest';
import type { AgentSession, UiQuestion } from '../../../src/contracts/index.ts';
import type { UiRequest } from '../../../src/protocol/index.ts';
import { SharedQuestions } from '../../../src/server/shared/shared-questions.ts';
import { createCountingIds, createFakeClock } from '../../../src/testing/index.ts';

const question: UiQuestion = { method: 'confirm', title: 'Sure?', message: 'Really?' };

function createMember(name: string, canShow = true) {
  const asked: UiRequest[] = [];
  return {
    name,
    asked,
    ask(request: UiRequest) {
      if (canShow) asked.push(request);
      return canShow;
    },
  };
}

function createQuestions() {
  const clock = createFakeClock();
  return { clock, questions: new SharedQuestions({} as AgentSession, { clock, ids: createCountingIds() }) };
}

test('the first answer counts, and the other clients learn by whom it was given', async () => {
  const { questions } = createQuestions();
  const [one, two] = [createMember('one'), createMember('two')];
  questions.join(one);
  questions.join(two);
  const asked = questions.hostUi.ask(question);
  const id = one.asked[0]?.id ?? '';
  expect(questions.answer(id, { confirmed: true }, one)).toBe(true);
  expect(await asked).toEqual({ confirmed: true });
  expect(two.asked[1]).toMatchObject({ method: 'cancel', targetId: id, answeredBy: 'one' });
  expect(one.asked).toHaveLength(1);
  expect(questions.answer(id, { confirmed: false }, two)).toBe(false);
});

test('a question without clients waits, and is sent to a client that comes later', async () => {
  const { questions } = createQuestions();
  const asked = questions.hostUi.ask(question);
  const late = createMember('late');
  questions.join(late);
  expect(questions.openRequests).toHaveLength(1);
  questions.answer(late.asked[0]?.id ?? '', { confirmed: false }, late);
  expect(await asked).toEqual({ confirmed: false });
});

test('a question counts as dismissed when all clients that show it have dismissed it', async () => {
  const { questions } = createQuestions();
  const [one, two, blind] = [createMember('one'), createMember('two'), createMember('blind', false)];
  for (const member of [one, two, blind]) questions.join(member);
  const reasons: string[] = [];
  const asked = questions.hostUi.ask(question, { onNoAnswer: (reason) => void reasons.push(reason) });
  const id = one.asked[0]?.id ?? '';
  questions.answer(id, { cancelled: true }, one);
  expect(questions.openRequests).toHaveLength(1);
  questions.answer(id, { cancelled: true }, two);
  expect(await asked).toBeUndefined();
  expect(reasons).toEqual(['dismissed']);
});

test('a question that one client has dismissed stays open when the other one leaves, and waits for its return', async () => {
  const { questions } = createQuestions();
  const [one, two, returned] = [createMember('one'), createMember('two'), createMember('two')];
  for (const member of [one, two]) questions.join(member);
  const asked = questions.hostUi.ask(question);
  const id = one.asked[0]?.id ?? '';
  questions.answer(id, { cancelled: true }, one);
  questions.leave(two);
  expect(questions.openRequests).toHaveLength(1);
  questions.join(returned);
  expect(returned.asked).toMatchObject([{ id }]);
  questions.answer(id, { cancelled: true }, returned);
  expect(await asked).toBeUndefined();
  expect(questions.openRequests).toEqual([]);
});

test('a question stays open when the only client leaves without an answer', () => {
  const { questions } = createQuestions();
  const one = createMember('one');
  questions.join(one);
  void questions.hostUi.ask(question);
  questions.leave(one);
  expect(questions.openRequests).toHaveLength(1);
});

test('a question that times out is withdrawn from all clients', async () => {
  const { clock, questions } = createQuestions();
  const one = createMember('one');
  questions.join(one);
  const asked = questions.hostUi.ask(question, { timeout: 500 });
  clock.advance(500);
  expect(await asked).toBeUndefined();
  expect(one.asked[1]).toMatchObject({ method: 'cancel', timedOut: true });
  expect(questions.openRequests).toEqual([]);
});

test('displays that stay visible are shown to a client that comes later; messages are not', () => {
  const { questions } = createQuestions();
  questions.hostUi.show({ method: 'setStatus', statusKey: 'a', statusText: 'old' });
  questions.hostUi.show({ method: 'setStatus', statusKey: 'a', statusText: 'new' });
  questions.hostUi.show({ method: 'notify', message: 'gone' });
  const late = createMember('late');
  questions.join(late);
  expect(late.asked).toMatchObject([{ method: 'setStatus', statusText: 'new' }]);
});

test('when the server ends, open questions resolve without an answer', async () => {
  const { questions } = createQuestions();
  const asked = questions.hostUi.ask(question);
  questions.close();
  expect(await asked).toBeUndefined();
});

test('a client that comes later learns how much time is left for the answer', async () => {
  const { clock, questions } = createQuestions();
  const [first, late] = [createMember('first'), createMember('late')];
  questions.join(first);
  const asked = questions.hostUi.ask({ ...question, timeout: 30_000 }, { timeout: 30_000 });
  clock.advance(12_000);
  questions.join(late);
  expect([first, late].map((member) => member.asked[0])).toMatchObject([{ timeout: 30_000 }, { timeout: 18_000 }]);
  expect(questions.openRequests).toMatchObject([{ timeout: 18_000 }]);
  questions.answer(late.asked[0]?.id ?? '', { confirmed: true }, late);
  expect(await asked).toEqual({ confirmed: true });
});

test('an answer of another kind does not decide for the other clients', async () => {
  const { questions } = createQuestions();
  const [one, two] = [createMember('one'), createMember('two')];
  for (const member of [one, two]) questions.join(member);
  const asked = questions.hostUi.ask(question);
  const id = one.asked[0]?.id ?? '';
  expect(questions.answer(id, { value: 'yes' }, one)).toBe(true);
  expect(questions.openRequests).toHaveLength(1);
  questions.answer(id, { confirmed: true }, two);
  expect(await asked).toEqual({ confirmed: true });
});
