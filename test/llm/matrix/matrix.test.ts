// Every model API × every story: the same answers, the same failures, each with one end. Writes the table of what was shown.
import { afterAll, describe, expect, test } from 'vitest';
import type { ApiRequest } from '../../../src/contracts/index.ts';
import type { AssistantMessage, Failure, Model, ToolCall } from '../../../src/protocol/index.ts';
import { result, user } from '../apis/anthropic-stage.ts';
import { expectGrammar, observe } from '../contract.ts';
import { PAGE_NOTES } from './page-notes.ts';
import { ANSWERS, type Answer, HELLO, REFUSALS, SPOILT, type Speaker, type Story, WORDS } from './speaker.ts';
import { SPEAKERS } from './speakers.ts';

const LINE = [
  'never answers',
  'stall',
  'reset',
  'ends early',
  'malformed stream',
  'wrong content type',
  'nobody there',
] as const;
const FORMS = ['byte by byte', 'images in and out', 'abort in the middle'] as const;
const PNG = { type: 'image' as const, data: 'iVBORw0KGgoMATRIX', mimeType: 'image/png' };
const KINDS: Record<(typeof REFUSALS)[number], Failure['kind']> = {
  overloaded: 'overloaded',
  'rate limit': 'rate_limit',
  '5xx': 'server',
  auth: 'auth',
  quota: 'quota',
  'context overflow': 'overflow',
  'content filter': 'filter',
};

/** What was shown, by story and API. */
const shown = new Map<string, Map<string, string>>();

function show(story: string, { name }: Speaker, mark = '✓'): void {
  shown.set(story, (shown.get(story) ?? new Map()).set(name, mark));
}

describe.each(SPEAKERS.map((speaker) => [speaker.name, speaker] as const))('%s', (_name, speaker) => {
  const model = (other: Partial<Model> = {}): Model => {
    return Object.assign({ ...speaker.at().request().model }, other);
  };

  async function asked(replies: readonly object[], other: Partial<ApiRequest> = {}) {
    const { api, server, request } = speaker.at();
    server.reply(...(replies as never[]));
    const seen = await observe(api.stream(request({ model: model(), thinkingLevel: 'low', ...other })));
    expectGrammar(seen);
    expect(JSON.stringify(seen.events)).not.toContain(speaker.secret);
    return seen;
  }

  async function failing(replies: readonly object[], other: Partial<ApiRequest> = {}) {
    const { events, message } = await asked(replies, other);
    const last = events.at(-1)!;
    if (last.type !== 'error') throw new Error(`The request was answered: ${last.type}`);
    expect(message.errorMessage?.length).toBeGreaterThan(10);
    return { failure: last.failure, text: message.errorMessage, content: message.content };
  }

  const stories = ANSWERS.map((name) => [name, speaker.answers[name]] as const);

  test.each(stories)('%s', async (name, story) => {
    if (typeof story === 'string') return show(name, speaker, `– (${story})`);
    const { message, events } = await asked([story.reply], story.model ? { model: model(story.model) } : {});
    await EXPECTED[name](message, story, { asked, speaker, last: events.at(-1)!.type, model: model(story.model) });
    show(name, speaker);
  });

  test.each(REFUSALS)('refused: %s', async (name) => {
    const { status, body } = speaker.refusals[name];
    // Where it is said when to come back, Gemini means a limit of the minute even when it speaks of quotas.
    const wait = name === 'overloaded' || name === 'rate limit' ? { retryAfterMs: 7000 } : {};
    const headers = 'retryAfterMs' in wait ? { 'retry-after': '7' } : {};
    const { failure, text } = await failing([{ plain: { status, body, headers } }]);
    expect(failure).toEqual({ kind: KINDS[name], status, ...wait });
    expect(text).toContain(String(status));
    show(name, speaker);
  });

  const half = story('plain text', speaker);
  const IDLE_MS = 60_000;

  test.each([
    ['never answers', { silent: true }, 'limit'],
    ['stall', { ...half.reply, upTo: 3, after: 'stall' }, 'limit'],
  ] as const)('%s', async (name, reply, kind) => {
    const coming = speaker.at().server.next();
    const waiting = failing([reply]);
    await coming;
    // The bytes that did come are given the time to arrive.
    for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate);
    await speaker.at().clock.advance(2 * IDLE_MS);
    expect((await waiting).failure).toMatchObject({ kind });
    show(name, speaker);
  });

  test.each([
    ['reset', { ...half.reply, upTo: 3, after: 'reset' }, /network/],
    ['ends early', { ...half.reply, upTo: 3, after: 'end' }, /malformed/],
    ['malformed stream', { frames: speaker.garbage }, /malformed/],
    [
      'wrong content type',
      { plain: { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Hi</h1>' } },
      /malformed/,
    ],
  ] as const)('%s', async (name, reply, kind) => {
    expect((await failing([framed(reply, speaker)])).failure?.kind).toMatch(kind);
    show(name, speaker);
  });

  test('nobody there', async () => {
    const baseUrl = model().baseUrl.replace(/:\d+/, ':9');
    expect((await failing([], { model: model({ baseUrl }) })).failure?.kind).toBe('network');
    show('nobody there', speaker);
  });

  test('byte by byte', async () => {
    const { reply } = story('thinking', speaker);
    const options = { model: model(story('thinking', speaker).model) };
    const plain = ({ events }: Awaited<ReturnType<typeof asked>>) =>
      events.map((event) => [event.type, 'delta' in event ? event.delta : '']);
    const whole = plain(await asked([reply], options));
    expect(plain(await asked([{ ...reply, pieces: 1 }], options))).toEqual(whole);
    show('byte by byte', speaker);
  });

  test('images in and out', async () => {
    const calling = story('parallel calls', speaker);
    const question = user([{ type: 'text', text: 'Look' }, PNG]);
    const { message } = await asked([calling.reply], { messages: [question] });
    const messages = [question, message, ...resultsOf(message, [{ ...PNG, data: 'iVBORw0KGgoRESULT' }])];
    const { message: answer } = await asked([half.reply], { messages });
    expect(answer.errorMessage).toBeUndefined();
    const sent = JSON.stringify(speaker.at().server.received.at(-1)?.body);
    expect(sent).toContain(PNG.data);
    expect(sent).toContain('iVBORw0KGgoRESULT');
    show('images in and out', speaker);
  });

  test('abort in the middle', async () => {
    const aborter = new AbortController();
    const { api, server, request } = speaker.at();
    server.reply(...([{ ...half.reply, upTo: 3, after: 'stall' }] as never[]));
    const coming = server.next() as Promise<{ closed: Promise<void> }>;
    const seen = observe(api.stream(request({ model: model(), signal: aborter.signal })));
    const { closed } = await coming;
    aborter.abort();
    expect((await seen).message).toMatchObject({ stopReason: 'aborted', errorMessage: 'Request was aborted' });
    await closed;
    show('abort in the middle', speaker);
  });

  test.each(SPOILT)('the loopback provider refuses: %s', async (name) => {
    const spoil = speaker.spoil[name];
    if (typeof spoil === 'string') return show(`checks: ${name}`, speaker, `– (${spoil})`);
    const thinking = story('thinking', speaker);
    const options = { model: model(thinking.model) };
    const { message } = await asked([thinking.reply], options);
    const messages = [user('Hello'), message, ...resultsOf(message)];
    expect((await asked([half.reply], { ...options, messages })).message.errorMessage).toBeUndefined();
    const { path, headers, body } = speaker.at().server.received.at(-1)!;
    const again = async (sent: object) => {
      speaker.at().server.reply(...([half.reply] as never[]));
      const { 'content-length': _, host: __, connection: ___, 'transfer-encoding': ____, ...rest } = headers;
      const response = await fetch(`${speaker.at().origin}${path.replace(/^POST /, '')}`, {
        method: 'POST',
        headers: rest as Record<string, string>,
        body: JSON.stringify(sent),
      });
      await response.text();
      return response.status;
    };
    expect(await again(body)).toBe(200);
    const spoilt = structuredClone(body);
    spoil(spoilt);
    expect(await again(spoilt)).toBeGreaterThanOrEqual(400);
    show(`checks: ${name}`, speaker);
  });
});

interface Beyond {
  asked(replies: readonly object[], other?: Partial<ApiRequest>): Promise<{ message: AssistantMessage }>;
  speaker: Speaker;
  last: string;
  model: Model;
}

const textOf = ({ content }: AssistantMessage) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

/** What each story comes to, whoever tells it. What vouches for thinking goes back to a provider that looks. */
const EXPECTED: Record<Answer, (message: AssistantMessage, story: Story, beyond: Beyond) => unknown> = {
  'plain text': (message) => expect([message.stopReason, textOf(message)]).toEqual(['stop', HELLO.join('')]),
  'long text': (message) => expect([message.stopReason, textOf(message)]).toEqual(['stop', WORDS.join('')]),
  'parallel calls': (message) => {
    expect(message.stopReason).toBe('toolUse');
    expect(message.content).toMatchObject([
      { type: 'toolCall', name: 'read', arguments: { path: 'a' } },
      { type: 'toolCall', name: 'bash', arguments: { command: 'ls' } },
    ]);
  },
  thinking: async (message, _, beyond) => {
    expect(message.content[0]).toMatchObject({ type: 'thinking', thinking: 'Let me see.' });
    await goesBack(message, beyond);
  },
  'redacted thinking': async (message, _, beyond) => {
    expect(message.content[0]).toMatchObject({ type: 'thinking', thinking: '', thinkingSignature: expect.any(String) });
    await goesBack(message, beyond);
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
    if (speaker.refusalIs === 'stop') expect(textOf(message)).toContain('I cannot help');
    else expect([last, message.errorMessage]).toEqual(['error', expect.stringMatching(/filter/)]);
  },
  'empty answer': (message) => expect(message).toMatchObject({ stopReason: 'stop', content: [] }),
};

async function goesBack(message: AssistantMessage, { asked, speaker, model }: Beyond): Promise<void> {
  const messages = [user('Hello'), message, ...resultsOf(message)];
  const { message: next } = await asked([story('plain text', speaker).reply], { messages, model });
  expect(next.errorMessage).toBeUndefined();
}

function resultsOf(message: AssistantMessage, more: (typeof PNG)[] = []) {
  const calls = message.content.filter((block): block is ToolCall => block.type === 'toolCall');
  return calls.map(({ id, name }) => ({ ...result(id, [{ type: 'text', text: 'done' }, ...more]), toolName: name }));
}

function story(name: Answer, { answers }: Speaker): Story {
  return answers[name] as Story;
}

/** The servers of text take texts, those of bytes take bytes. */
function framed(reply: object, { garbage }: Speaker): object {
  if (!('frames' in reply)) return reply;
  const bytes = garbage.some((piece) => typeof piece !== 'string');
  return bytes
    ? { frames: garbage.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)) }
    : { frames: garbage };
}

test('the table of what was shown is whole', async () => {
  const rows = [...ANSWERS, ...FORMS, ...REFUSALS, ...LINE, ...SPOILT.map((name) => `checks: ${name}`)];
  const names = SPEAKERS.map(({ name }) => name);
  for (const row of rows) expect([row, [...(shown.get(row)?.keys() ?? [])].sort()]).toEqual([row, [...names].sort()]);
  const notes: string[] = [];
  const cell = (row: string, name: string) => {
    const mark = shown.get(row)?.get(name) ?? '';
    if (mark === '✓') return mark;
    const note = mark.replace(/^– \((.*)\)$/, '$1');
    if (!notes.includes(note)) notes.push(note);
    return `–${notes.indexOf(note) + 1}`;
  };
  const lines = rows.map((row) => `| ${row} | ${names.map((name) => cell(row, name)).join(' | ')} |`);
  const page = [
    '# What every model API is shown to do',
    '',
    'Written by `test/llm/matrix/matrix.test.ts`, which fails when a cell is not shown. Each API speaks to a loopback server in its',
    'provider’s own frames; the last rows are about those servers: what they refuse, as the providers do.',
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

afterAll(() => shown.clear());
