// Requests of servers to the client: roots, elicitation, sampling, log messages, ping.
import { describe, expect, test } from 'vitest';
import type { McpSamplingRequest } from '../../src/contracts/index.ts';
import type { UiAnswer } from '../../src/protocol/index.ts';
import { createToolFixture, getText } from '../tools/tool-fixture.ts';
import {
  createMcpFixture,
  createScriptedHost,
  defineScripted,
  defineTool,
  type FixtureOptions,
} from './mcp-fixture.ts';

/** The server sends the request, and the tool returns the client's answer. */
async function ask(method: string, params: unknown, options: FixtureOptions = {}) {
  const fixture = createMcpFixture([defineScripted('one', { lists: { tools: [[defineTool('ask')]] } })], options);
  await fixture.servers.connect();
  const text = getText(await fixture.tool('ask').run({ method, params }, createToolFixture()));
  return { answer: JSON.parse(text) as Record<string, unknown>, ...fixture };
}

test('the working directory is the only root', async () => {
  const { answer, cwd } = await ask('roots/list', {});
  expect(answer).toEqual({ roots: [{ uri: `file://${cwd}`, name: cwd }] });
});

test('a ping is answered, an unknown method is refused', async () => {
  expect((await ask('ping', {})).answer).toEqual({});
  expect((await ask('unknown/method', {})).answer).toMatchObject({ code: -32601 });
});

describe('elicitation', () => {
  const yes: UiAnswer = { confirmed: true };
  const value = (text: string): UiAnswer => ({ value: text });

  async function elicit(params: Record<string, unknown>, answers: readonly (UiAnswer | undefined)[]) {
    const scripted = createScriptedHost(answers);
    const { answer } = await ask('elicitation/create', { message: 'Who?', ...params }, { host: () => scripted.host });
    return { answer, ...scripted };
  }
  const form = (properties: Record<string, unknown>, required: string[] = []) => ({
    requestedSchema: { type: 'object', properties, required },
  });

  test('each field of a form is asked', async () => {
    const schema = form(
      {
        name: { type: 'string', title: 'Your name', description: 'first name' },
        age: { type: 'integer', minimum: 18 },
        colour: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
        size: {
          type: 'string',
          oneOf: [
            { const: 's', title: 'Small' },
            { const: 'l', title: 'Large' },
          ],
        },
        agree: { type: 'boolean' },
        note: { type: 'string' },
        level: { type: 'number', default: 2.5 },
        tags: { type: 'array', items: { type: 'string', enum: ['x', 'y', 'z'] } },
      },
      ['name', 'age'],
    );
    const { answer, questions } = await elicit(schema, [
      ...[yes, value('Ann'), value('17'), value('old'), value('44'), value('Green'), value('Large'), value('No')],
      ...[value(''), value(''), value('x, z')],
    ]);
    expect(answer).toEqual({
      action: 'accept',
      content: { name: 'Ann', age: 44, colour: 'g', size: 'l', agree: false, level: 2.5, tags: ['x', 'z'] },
    });
    expect(questions[0]).toMatchObject({
      method: 'confirm',
      title: 'MCP server "one" asks',
      message: expect.stringContaining('Who?\n\nYour name: first name\nage\ncolour (optional)'),
    });
    expect(questions[1]).toEqual({ method: 'input', title: 'MCP server "one" asks: Your name: first name' });
    expect(questions[3]?.title).toBe('MCP server "one" asks: The number must be at least 18.\nage');
    expect(questions[5]).toEqual({
      method: 'select',
      title: 'MCP server "one" asks: colour (optional)',
      options: ['Red', 'Green', '(no answer)'],
    });
    expect(questions[9]).toMatchObject({ method: 'input', placeholder: 'number; default: 2.5' });
  });

  test.each<[string, Record<string, unknown>, string, string]>([
    ['email', { type: 'string', format: 'email' }, 'no', 'a@b.c'],
    ['uri', { type: 'string', format: 'uri' }, 'no uri', 'http://a'],
    ['date', { type: 'string', format: 'date' }, '2026-99-01', '2026-01-02'],
    ['length', { type: 'string', minLength: 3, maxLength: 4 }, 'ab', 'abc'],
    ['required', { type: 'string' }, '', 'abc'],
  ])('an answer with a bad %s is asked again', async (_, property, bad, good) => {
    const { answer, questions } = await elicit(form({ f: property }, ['f']), [yes, value(bad), value(good)]);
    expect([answer, questions.length]).toEqual([{ action: 'accept', content: { f: good } }, 3]);
  });

  test('three bad answers cancel', async () => {
    const { answer } = await elicit(form({ n: { type: 'number' } }), [
      yes,
      value('a'),
      value('b'),
      value('c'),
      value('1'),
    ]);
    expect(answer).toEqual({ action: 'cancel' });
  });

  test('the user can skip an optional choice', async () => {
    const { answer } = await elicit(form({ c: { type: 'string', enum: ['a'] } }), [yes, value('(no answer)')]);
    expect(answer).toEqual({ action: 'accept', content: {} });
  });

  test('the user can decline or dismiss', async () => {
    const schema = form({ f: { type: 'string' } });
    expect((await elicit(schema, [{ confirmed: false }])).answer).toEqual({ action: 'decline' });
    expect((await elicit(schema, [undefined])).answer).toEqual({ action: 'cancel' });
    expect((await elicit(schema, [yes, { cancelled: true }])).answer).toEqual({ action: 'cancel' });
  });

  test('without a host it is cancelled', async () => {
    expect((await ask('elicitation/create', { message: 'x', ...form({}) })).answer).toEqual({ action: 'cancel' });
  });

  test('a URL is opened after consent', async () => {
    const params = { mode: 'url', url: 'https://a.example/x', elicitationId: 'e' };
    const { answer, questions, displays } = await elicit(params, [yes]);
    expect(answer).toEqual({ action: 'accept' });
    expect(questions).toMatchObject([{ method: 'confirm', message: 'Who?\n\nOpen https://a.example/x?' }]);
    expect(displays).toEqual([
      { method: 'open_url', url: 'https://a.example/x', instructions: 'MCP server "one" asks: Who?' },
    ]);
    const refused = await elicit(params, [{ confirmed: false }]);
    expect([refused.answer, refused.displays]).toEqual([{ action: 'decline' }, []]);
    const other = await elicit({ ...params, url: 'file:///etc/passwd' }, [yes]);
    expect([other.answer, other.questions]).toEqual([{ action: 'decline' }, []]);
  });
});

describe('sampling', () => {
  const params = {
    messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
    systemPrompt: 'Be brief',
    maxTokens: 50,
  };

  test('is refused unless the session allows it', async () => {
    expect((await ask('sampling/createMessage', params)).answer).toMatchObject({ code: -32601 });
  });

  test('uses the model of the session', async () => {
    const requests: McpSamplingRequest[] = [];
    const { answer } = await ask('sampling/createMessage', params, {
      async sample(request) {
        requests.push(request);
        return { text: 'Hello', model: 'm', stopReason: 'endTurn' };
      },
    });
    expect(answer).toEqual({
      role: 'assistant',
      content: { type: 'text', text: 'Hello' },
      model: 'm',
      stopReason: 'endTurn',
    });
    expect(requests).toMatchObject([
      { server: 'one', messages: [{ role: 'user', text: 'Hi', images: [] }], systemPrompt: 'Be brief', maxTokens: 50 },
    ]);
  });

  test('a failure is an error for the server', async () => {
    const { answer } = await ask('sampling/createMessage', params, {
      sample: () => Promise.reject(new Error('budget exceeded')),
    });
    expect(answer).toMatchObject({ message: 'budget exceeded' });
  });
});

test('log messages go to the diagnostic log, bounded and without secrets', async () => {
  const data = `password hunter2hunter2 ${'x'.repeat(10_000)}`;
  const message = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', data } };
  const script = { lists: { tools: [[defineTool('echo')]] }, stdout: `${JSON.stringify(message)}\n` };
  const { servers, logs, notices } = createMcpFixture([
    defineScripted('one', script, { env: { P: 'hunter2hunter2' } }),
  ]);
  await servers.connect();
  const text = String(logs.find(({ event }) => event === 'mcp_server_log')?.facts?.text);
  expect([text.slice(0, 21), text.length, notices]).toEqual(['password [redacted] x', 1500, []]);
});
