// Runs every model API against every scenario: same replies, same failures, exactly one end. Writes docs/model-apis.md.
import { afterAll, describe, expect, test } from 'vitest';
import type { ApiRequest } from '../../../src/contracts/index.ts';
import type { AssistantMessage, Model, ProviderFailure, ToolCall } from '../../../src/protocol/index.ts';
import { result, user } from '../apis/request-samples.ts';
import { expectGrammar, observe } from '../contract.ts';
import {
  type ApiFixture,
  ERROR_SCENARIOS,
  HELLO,
  INVALID_REQUESTS,
  REPLY_SCENARIOS,
  type ReplyScenario,
  type Scenario,
  WORDS,
} from './api-fixture.ts';
import { API_FIXTURES } from './api-fixtures.ts';
import { PAGE_NOTES } from './page-notes.ts';

const CONNECTION_FAILURES = [
  'no response',
  'stall',
  'reset',
  'ends early',
  'malformed stream',
  'wrong content type',
  'connection refused',
] as const;
const TRANSPORT_CASES = ['one byte per chunk', 'images in prompts and results', 'abort during the stream'] as const;
const PNG = { type: 'image' as const, data: 'iVBORw0KGgoMATRIX', mimeType: 'image/png' };
const KINDS: Record<(typeof ERROR_SCENARIOS)[number], ProviderFailure['kind']> = {
  overloaded: 'overloaded',
  'rate limit': 'rate_limit',
  '5xx': 'server',
  auth: 'auth',
  quota: 'quota',
  'context overflow': 'overflow',
  'content filter': 'filter',
};

/** Verified cells, by scenario and API. */
const verified = new Map<string, Map<string, string>>();

function markVerified(scenario: string, { name }: ApiFixture, mark = '✓'): void {
  verified.set(scenario, (verified.get(scenario) ?? new Map()).set(name, mark));
}

describe.each(API_FIXTURES.map((fixture) => [fixture.name, fixture] as const))('%s', (_name, speaker) => {
  const model = (overrides: Partial<Model> = {}): Model => {
    return Object.assign({ ...speaker.getFixture().request().model }, overrides);
  };

  async function sendRequest(replies: readonly object[], overrides: Partial<ApiRequest> = {}) {
    const { api, server, request } = speaker.getFixture();
    server.reply(...(replies as never[]));
    const observed = await observe(api.stream(request({ model: model(), thinkingLevel: 'low', ...overrides })));
    expectGrammar(observed);
    expect(JSON.stringify(observed.events)).not.toContain(speaker.secret);
    return observed;
  }

  async function expectFailure(replies: readonly object[], overrides: Partial<ApiRequest> = {}) {
    const { events, message } = await sendRequest(replies, overrides);
    const last = events.at(-1)!;
    if (last.type !== 'error') throw new Error(`The request was answered: ${last.type}`);
    expect(message.errorMessage?.length).toBeGreaterThan(10);
    return { failure: last.failure, text: message.errorMessage, content: message.content };
  }

  const scenarios = REPLY_SCENARIOS.map((name) => [name, speaker.answers[name]] as const);

  test.each(scenarios)('%s', async (name, scenario) => {
    if (typeof scenario === 'string') return markVerified(name, speaker, `– (${scenario})`);
    const { message, events } = await sendRequest(
      [scenario.reply],
      scenario.model ? { model: model(scenario.model) } : {},
    );
    await ASSERTIONS[name](message, scenario, {
      sendRequest,
      speaker,
      last: events.at(-1)!.type,
      model: model(scenario.model),
    });
    markVerified(name, speaker);
  });

  test.each(ERROR_SCENARIOS)('maps the provider error: %s', async (name) => {
    const { status, body } = speaker.refusals[name];
    // With a retry delay Gemini means a per-minute limit even when the error mentions quotas.
    const retry = name === 'overloaded' || name === 'rate limit' ? { retryAfterMs: 7000 } : {};
    const headers = 'retryAfterMs' in retry ? { 'retry-after': '7' } : {};
    const { failure, text } = await expectFailure([{ plain: { status, body, headers } }]);
    expect(failure).toEqual({ kind: KINDS[name], status, ...retry });
    expect(text).toContain(String(status));
    markVerified(name, speaker);
  });

  const textScenario = getScenario('plain text', speaker);
  const IDLE_MS = 60_000;

  test.each([
    ['no response', { silent: true }, 'limit'],
    ['stall', { ...textScenario.reply, upTo: 3, after: 'stall' }, 'limit'],
  ] as const)('%s', async (name, reply, kind) => {
    const nextRequest = speaker.getFixture().server.next();
    const failure = expectFailure([reply]);
    await nextRequest;
    // Let the sent bytes arrive.
    for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate);
    await speaker.getFixture().clock.advance(2 * IDLE_MS);
    expect((await failure).failure).toMatchObject({ kind });
    markVerified(name, speaker);
  });

  test.each([
    ['reset', { ...textScenario.reply, upTo: 3, after: 'reset' }, /network/],
    ['ends early', { ...textScenario.reply, upTo: 3, after: 'end' }, /malformed/],
    ['malformed stream', { frames: speaker.garbage }, /malformed/],
    [
      'wrong content type',
      { plain: { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Hi</h1>' } },
      /malformed/,
    ],
  ] as const)('%s', async (name, reply, kind) => {
    expect((await expectFailure([encodeGarbage(reply, speaker)])).failure?.kind).toMatch(kind);
    markVerified(name, speaker);
  });

  test('connection refused', async () => {
    const baseUrl = model().baseUrl.replace(/:\d+/, ':9');
    expect((await expectFailure([], { model: model({ baseUrl }) })).failure?.kind).toBe('network');
    markVerified('connection refused', speaker);
  });

  test('one byte per chunk', async () => {
    const { reply } = getScenario('thinking', speaker);
    const options = { model: model(getScenario('thinking', speaker).model) };
    const summarize = ({ events }: Awaited<ReturnType<typeof sendRequest>>) =>
      events.map((event) => [event.type, 'delta' in event ? event.delta : '']);
    const expected = summarize(await sendRequest([reply], options));
    expect(summarize(await sendRequest([{ ...reply, pieces: 1 }], options))).toEqual(expected);
    markVerified('one byte per chunk', speaker);
  });

  test('images in prompts and results', async () => {
    const callScenario = getScenario('parallel calls', speaker);
    const prompt = user([{ type: 'text', text: 'Look' }, PNG]);
    const { message } = await sendRequest([callScenario.reply], { messages: [prompt] });
    const messages = [prompt, message, ...createResults(message, [{ ...PNG, data: 'iVBORw0KGgoRESULT' }])];
    const { message: reply } = await sendRequest([textScenario.reply], { messages });
    expect(reply.errorMessage).toBeUndefined();
    const sentBody = JSON.stringify(speaker.getFixture().server.received.at(-1)?.body);
    expect(sentBody).toContain(PNG.data);
    expect(sentBody).toContain('iVBORw0KGgoRESULT');
    markVerified('images in prompts and results', speaker);
  });

  test('abort during the stream', async () => {
    const aborter = new AbortController();
    const { api, server, request } = speaker.getFixture();
    server.reply(...([{ ...textScenario.reply, upTo: 3, after: 'stall' }] as never[]));
    const nextRequest = server.next() as Promise<{ closed: Promise<void> }>;
    const observed = observe(api.stream(request({ model: model(), signal: aborter.signal })));
    const { closed } = await nextRequest;
    aborter.abort();
    expect((await observed).message).toMatchObject({ stopReason: 'aborted', errorMessage: 'Request was aborted' });
    await closed;
    markVerified('abort during the stream', speaker);
  });

  test.each(INVALID_REQUESTS)('the loopback provider rejects: %s', async (name) => {
    const mutate = speaker.mutations[name];
    if (typeof mutate === 'string') return markVerified(`checks: ${name}`, speaker, `– (${mutate})`);
    const thinking = getScenario('thinking', speaker);
    const options = { model: model(thinking.model) };
    const { message } = await sendRequest([thinking.reply], options);
    const messages = [user('Hello'), message, ...createResults(message)];
    expect((await sendRequest([textScenario.reply], { ...options, messages })).message.errorMessage).toBeUndefined();
    const { path, headers, body } = speaker.getFixture().server.received.at(-1)!;
    const send = async (sent: object) => {
      speaker.getFixture().server.reply(...([textScenario.reply] as never[]));
      const { 'content-length': _, host: __, connection: ___, 'transfer-encoding': ____, ...rest } = headers;
      const response = await fetch(`${speaker.getFixture().origin}${path.replace(/^POST /, '')}`, {
        method: 'POST',
        headers: rest as Record<string, string>,
        body: JSON.stringify(sent),
      });
      await response.text();
      return response.status;
    };
    expect(await send(body)).toBe(200);
    const mutated = structuredClone(body);
    mutate(mutated);
    expect(await send(mutated)).toBeGreaterThanOrEqual(400);
    markVerified(`checks: ${name}`, speaker);
  });
});

interface ScenarioContext {
  sendRequest(replies: readonly object[], overrides?: Partial<ApiRequest>): Promise<{ message: AssistantMessage }>;
  speaker: ApiFixture;
  last: string;
  model: Model;
}

const joinText = ({ content }: AssistantMessage) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

/** Expected result of each scenario. Thinking must be accepted when it is sent back. */
const ASSERTIONS: Record<
  ReplyScenario,
  (message: AssistantMessage, story: Scenario, beyond: ScenarioContext) => unknown
> = {
  'plain text': (message) => expect([message.stopReason, joinText(message)]).toEqual(['stop', HELLO.join('')]),
  'long text': (message) => expect([message.stopReason, joinText(message)]).toEqual(['stop', WORDS.join('')]),
  'parallel calls': (message) => {
    expect(message.stopReason).toBe('toolUse');
    expect(message.content).toMatchObject([
      { type: 'toolCall', name: 'read', arguments: { path: 'a' } },
      { type: 'toolCall', name: 'bash', arguments: { command: 'ls' } },
    ]);
  },
  thinking: async (message, _, beyond) => {
    expect(message.content[0]).toMatchObject({ type: 'thinking', thinking: 'Let me see.' });
    await expectReplayAccepted(message, beyond);
  },
  'redacted thinking': async (message, _, beyond) => {
    expect(message.content[0]).toMatchObject({ type: 'thinking', thinking: '', thinkingSignature: expect.any(String) });
    await expectReplayAccepted(message, beyond);
  },
  'cache usage': ({ usage }) => {
    expect(usage).toMatchObject({ cacheRead: 700 });
    expect(usage.input).toBeGreaterThan(0);
    expect(usage.cost.cacheRead).toBeGreaterThan(0);
    const { input, output, cacheRead, cacheWrite, total } = usage.cost;
    expect(total).toBeCloseTo(input + output + cacheRead + cacheWrite, 10);
  },
  length: (message) => expect(message).toMatchObject({ stopReason: 'length', content: [{ text: 'Half' }] }),
  refusal: (message, _, { speaker, last }) => {
    if (speaker.refusalOutcome === 'stop') expect(joinText(message)).toContain('I cannot help');
    else expect([last, message.errorMessage]).toEqual(['error', expect.stringMatching(/filter/)]);
  },
  'empty answer': (message) => expect(message).toMatchObject({ stopReason: 'stop', content: [] }),
};

async function expectReplayAccepted(
  message: AssistantMessage,
  { sendRequest: asked, speaker, model }: ScenarioContext,
): Promise<void> {
  const messages = [user('Hello'), message, ...createResults(message)];
  const { message: next } = await asked([getScenario('plain text', speaker).reply], { messages, model });
  expect(next.errorMessage).toBeUndefined();
}

function createResults(message: AssistantMessage, extraContent: (typeof PNG)[] = []) {
  const calls = message.content.filter((block): block is ToolCall => block.type === 'toolCall');
  return calls.map(({ id, name }) => ({
    ...result(id, [{ type: 'text', text: 'done' }, ...extraContent]),
    toolName: name,
  }));
}

function getScenario(name: ReplyScenario, { answers }: ApiFixture): Scenario {
  return answers[name] as Scenario;
}

/** Text servers take strings, binary servers take bytes. */
function encodeGarbage(reply: object, { garbage }: ApiFixture): object {
  if (!('frames' in reply)) return reply;
  const bytes = garbage.some((piece) => typeof piece !== 'string');
  return bytes
    ? { frames: garbage.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)) }
    : { frames: garbage };
}

test('the table in docs/model-apis.md is complete', async () => {
  const rows = [
    ...REPLY_SCENARIOS,
    ...TRANSPORT_CASES,
    ...ERROR_SCENARIOS,
    ...CONNECTION_FAILURES,
    ...INVALID_REQUESTS.map((name) => `checks: ${name}`),
  ];
  const names = API_FIXTURES.map(({ name }) => name);
  for (const row of rows)
    expect([row, [...(verified.get(row)?.keys() ?? [])].sort()]).toEqual([row, [...names].sort()]);
  const notes: string[] = [];
  const cell = (row: string, name: string) => {
    const mark = verified.get(row)?.get(name) ?? '';
    if (mark === '✓') return mark;
    const note = mark.replace(/^– \((.*)\)$/, '$1');
    if (!notes.includes(note)) notes.push(note);
    return `–${notes.indexOf(note) + 1}`;
  };
  const lines = rows.map((row) => `| ${row} | ${names.map((name) => cell(row, name)).join(' | ')} |`);
  const page = [
    '# What every model API is tested to do',
    '',
    'Written by `test/llm/matrix/matrix.test.ts`, which fails when a cell is not verified. Each API is connected to a loopback server that',
    'sends the provider’s own frames. The last rows are about those servers: they reject invalid requests as the providers do.',
    '',
    `| | ${names.join(' | ')} |`,
    `|---|${names.map(() => '---').join('|')}|`,
    ...lines,
    '',
    ...notes.map((note, index) => `${index + 1}. ${note}.`),
    PAGE_NOTES,
  ].join('\n');
  await expect(page).toMatchFileSnapshot('../../../docs/model-apis.md');
});

afterAll(() => verified.clear());
