// Questions as results, for clients without a handshake.
import { expect, test } from 'vitest';
import { InputRounds, type RoundContext } from '../../../../src/app/modes/mcp/server/input-rounds.ts';
import { createFakeClock } from '../../../../src/testing/fake-clock.ts';

const clock = createFakeClock();
let ids = 0;
const uuid = () => {
  ids += 1;
  return `id-${ids}`;
};
const createRounds = () => new InputRounds({ clock, ids: { uuid, entryId: uuid } });
const NEVER = new AbortController().signal;
const createRequest = (signal = NEVER) => {
  const messages: string[] = [];
  return { signal, messages, report: (message: string) => void messages.push(message) };
};

interface Paused {
  readonly resultType: string;
  readonly inputRequests: Record<string, { method: string; params: object }>;
  readonly requestState: string;
}

/** Asks one question and returns the answer. */
const askOnce =
  (questionSignal = NEVER) =>
  async ({ elicit, report }: RoundContext) => {
    const answer = await elicit({ message: 'Sure?' }, questionSignal);
    report('answered');
    return { answer };
  };

test('a call without questions returns its result', async () => {
  expect(await createRounds().start(createRequest(), async () => ({ done: true }))).toEqual({ done: true });
});

test('a question is returned, and the repeated call gets the result and the progress', async () => {
  const rounds = createRounds();
  const paused = (await rounds.start(createRequest(), askOnce())) as unknown as Paused;
  const [[id, question] = []] = Object.entries(paused.inputRequests);
  expect(paused.resultType).toBe('input_required');
  expect(question).toEqual({ method: 'elicitation/create', params: { message: 'Sure?' } });
  const request = createRequest();
  // Without an answer the question is returned again.
  expect(await rounds.resume(request, paused.requestState, { other: {} })).toEqual(paused);
  expect(await rounds.resume(request, paused.requestState, { [id as string]: 'yes' })).toEqual({ answer: 'yes' });
  expect(request.messages).toEqual(['answered']);
  expect(() => rounds.resume(request, paused.requestState, {})).toThrow('requestState is unknown');
});

test.each([undefined, 7, 'other'])('requestState %j is refused', (state) => {
  expect(() => createRounds().resume(createRequest(), state, {})).toThrow('requestState is unknown');
});

test('several questions at once are returned together', async () => {
  const paused = (await createRounds().start(createRequest(), async ({ elicit }) => {
    await Promise.all([elicit({ message: 'a' }, NEVER), elicit({ message: 'b' }, NEVER)]);
    return {};
  })) as unknown as Paused;
  expect(Object.values(paused.inputRequests).map(({ params }) => params)).toEqual([{ message: 'a' }, { message: 'b' }]);
});

test('a question that is withdrawn while the client asks gets no answer, and the result is kept', async () => {
  const rounds = createRounds();
  const question = new AbortController();
  const { requestState } = (await rounds.start(createRequest(), askOnce(question.signal))) as unknown as Paused;
  question.abort();
  expect(await rounds.resume(createRequest(), requestState, {})).toEqual({ answer: undefined });
});

/** Resolves when the run is aborted. */
const waitForAbort = ({ signal }: RoundContext) =>
  new Promise<Record<string, unknown>>((resolve) =>
    signal.addEventListener('abort', () => resolve({ aborted: true }), { once: true }),
  );

test('cancelling the request aborts the run', async () => {
  const controller = new AbortController();
  const waiting = createRounds().start(createRequest(controller.signal), waitForAbort);
  controller.abort();
  expect(await waiting).toEqual({ aborted: true });
});

test('only one request can wait for a call, and an abandoned call is aborted', async () => {
  const rounds = createRounds();
  const ended: unknown[] = [];
  const paused = (await rounds.start(createRequest(), async (context) => {
    const aborted = waitForAbort(context).then((result) => ended.push(result));
    await context.elicit({ message: 'a' }, NEVER);
    await context.elicit({ message: 'b' }, NEVER);
    await aborted;
    return {};
  })) as unknown as Paused;
  const answers = (state: Paused) => Object.fromEntries(Object.keys(state.inputRequests).map((id) => [id, 'yes']));
  const next = rounds.resume(createRequest(), paused.requestState, answers(paused));
  expect(() => rounds.resume(createRequest(), paused.requestState, {})).toThrow('in use');
  expect(await next).toMatchObject({ resultType: 'input_required' });
  await clock.advance(599_999);
  expect(ended).toEqual([]);
  await clock.advance(1);
  await Promise.resolve();
  expect(ended).toEqual([{ aborted: true }]);
  expect(() => rounds.resume(createRequest(), paused.requestState, {})).toThrow('requestState is unknown');
});
