// Tests of the scripted models.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../src/contracts/index.ts';
import { createScriptedModels, type ScriptedAnswer, scriptedModel } from '../../src/testing/scripted-models.ts';
import { expectGrammar, modelApiContract, observe } from '../llm/contract.ts';

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: scriptedModel,
    systemPrompt: 'system',
    messages: [{ role: 'user', content: 'hi', timestamp: 0 }],
    tools: [{ name: 'read', description: '', parameters: {} }],
    thinkingLevel: 'off',
    signal: new AbortController().signal,
    sessionId: 's',
    ...more,
  };
}

const words = Array.from({ length: 12 }, (_, n) => `w${n} `);

modelApiContract('a scripted model', () => {
  const answer = (modelRequest: ModelRequest): ScriptedAnswer =>
    modelRequest.systemPrompt === 'call'
      ? { text: 'so', calls: [{ name: 'read' }, { name: 'read' }] }
      : { text: words };
  return {
    api: createScriptedModels([answer]),
    long: (signal) => request({ signal }),
    calling: (signal) => request({ signal, systemPrompt: 'call' }),
  };
});

describe('answers', () => {
  test('are returned in the order of the script, then an error', async () => {
    const models = createScriptedModels([
      { text: 'one' },
      { thinking: 'hm', calls: [{ name: 'read', arguments: { path: 'a' } }] },
    ]);
    models.add({ error: '529 overloaded', text: 'half' });
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push((await observe(models.stream(request()))).message);
    expect(answers[0]).toMatchObject({ stopReason: 'stop', content: [{ type: 'text', text: 'one' }] });
    expect(answers[1]).toMatchObject({
      stopReason: 'toolUse',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'toolCall', id: 'call_1', name: 'read', arguments: { path: 'a' } },
      ],
    });
    expect(answers[2]).toMatchObject({ stopReason: 'error', errorMessage: '529 overloaded' });
    expect(answers[3]).toMatchObject({
      stopReason: 'error',
      errorMessage: 'No scripted answer is left for request 4',
    });
    expect(models.remaining).toBe(0);
  });

  test('stop reasons and usage are taken from the script', async () => {
    const models = createScriptedModels([
      { text: 'x', stopReason: 'length', usage: { input: 5 } },
      { text: 'x', stopReason: 'aborted' },
      { stopReason: 'error' },
    ]);
    const first = await observe(models.stream(request()));
    expectGrammar(first);
    expect(first.message).toMatchObject({ stopReason: 'length', usage: { input: 5, output: 0 } });
    expect((await observe(models.stream(request()))).message).toMatchObject({ stopReason: 'aborted' });
    expect((await observe(models.stream(request()))).message).toMatchObject({ stopReason: 'error' });
  });

  test('any script produces a valid event sequence', async () => {
    const deltas = fc.oneof(fc.string(), fc.array(fc.string({ unit: 'binary' })));
    const script = fc.record(
      {
        thinking: deltas,
        text: deltas,
        calls: fc.array(fc.record({ name: fc.string(), arguments: fc.dictionary(fc.string(), fc.jsonValue()) })),
        stopReason: fc.constantFrom('stop', 'length', 'error', 'aborted'),
        error: fc.string({ minLength: 1 }),
        hold: fc.constant('gate'),
        holdAfter: fc.nat(9),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(script, fc.option(fc.nat(12)), async (answer, abortAt) => {
        const aborter = new AbortController();
        const models = createScriptedModels([answer as ScriptedAnswer]);
        models.release('gate');
        const stream = models.stream(request({ signal: aborter.signal }));
        expectGrammar(await observe(stream, (_, count) => count === abortAt && aborter.abort()));
      }),
      { numRuns: 40 },
    );
  });
});

describe('holding', () => {
  test('an answer waits after holdAfter deltas', async () => {
    const models = createScriptedModels([{ text: ['a', 'b', 'c'], hold: 'middle', holdAfter: 2 }]);
    const result: string[] = [];
    const observed = observe(models.stream(request()), ({ type }) => result.push(type));
    await models.waitForHold('middle');
    expect(result).toEqual(['start', 'text_start', 'text_delta', 'text_delta']);
    models.release('middle');
    expect((await observed).message.stopReason).toBe('stop');
  });

  test('an answer waits before the first delta by default, and at the end when there are fewer deltas', async () => {
    const models = createScriptedModels([
      { text: 'a', hold: 'first' },
      { text: 'a', hold: 'last', holdAfter: 9 },
    ]);
    for (const [name, events] of [
      ['first', ['start']],
      ['last', ['start', 'text_start', 'text_delta', 'text_end']],
    ] as const) {
      const result: string[] = [];
      const observed = observe(models.stream(request()), ({ type }) => result.push(type));
      await models.waitForHold(name);
      expect(result).toEqual(events);
      models.release(name);
      await observed;
    }
  });

  test('an abort just before the hold ends the answer', async () => {
    const aborter = new AbortController();
    const models = createScriptedModels([{ text: 'a', hold: 'gate' }]);
    const result = await observe(models.stream(request({ signal: aborter.signal })), () => aborter.abort());
    expect(result.events.map(({ type }) => type)).toEqual(['start', 'error']);
  });

  test('an abort during the hold ends the answer', async () => {
    const aborter = new AbortController();
    const models = createScriptedModels([{ text: ['a', 'b'], hold: 'gate', holdAfter: 1 }]);
    const observed = observe(models.stream(request({ signal: aborter.signal })));
    await models.waitForHold('gate');
    aborter.abort();
    const result = await observed;
    expectGrammar(result);
    expect(result.message).toMatchObject({ stopReason: 'aborted', content: [{ type: 'text', text: 'a' }] });
  });
});

describe('requests', () => {
  test('are recorded as frozen copies', async () => {
    const models = createScriptedModels([{ text: 'x' }]);
    const messages = [{ role: 'user' as const, content: 'before', timestamp: 0 }];
    await observe(models.stream(request({ messages })));
    (messages[0] as { content: string }).content = 'after';
    const recorded = models.requests[0]!;
    expect(recorded.messages[0]!.content).toBe('before');
    expect(recorded.systemPrompt).toBe('system');
    expect(Object.isFrozen(recorded.messages[0]) && Object.isFrozen(recorded.tools[0]!.parameters)).toBe(true);
  });

  test('an answer may depend on its request', async () => {
    const models = createScriptedModels([({ messages }) => ({ text: `${messages.length}` })]);
    expect((await observe(models.stream(request()))).message.content).toEqual([{ type: 'text', text: '1' }]);
  });
});

test('the default model is available, and an empty list has no initial model', async () => {
  const models = createScriptedModels([]);
  expect(await models.chooseInitial()).toBe(scriptedModel);
  expect(await models.find('testing', 'scripted')).toBe(scriptedModel);
  expect(await models.listAvailable()).toEqual([scriptedModel]);
  await expect(models.requireCredentials(scriptedModel)).resolves.toBeUndefined();
  expect(await createScriptedModels([], { models: [] }).chooseInitial()).toBeNull();
});
