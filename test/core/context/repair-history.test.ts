// repairHistory: every provider accepts the result, and it keeps everything that can be kept.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repairHistory } from '../../../src/core/context/repair-history.ts';
import {
  type AssistantMessage,
  createEmptyUsage,
  extractText,
  type ModelMessage,
  type StopReason,
  type ToolResultMessage,
  type UserMessage,
} from '../../../src/protocol/index.ts';
import { findHistoryErrors } from '../../support/history-check.ts';

type Block = AssistantMessage['content'][number];

const user = (content: UserMessage['content']): UserMessage => ({ role: 'user', content, timestamp: 1 });
const assistant = (content: Block[], stopReason: StopReason = 'stop'): AssistantMessage => ({
  role: 'assistant',
  content,
  api: 'test-api',
  provider: 'test-provider',
  model: 'one',
  usage: createEmptyUsage(),
  stopReason,
  timestamp: 2,
});
const result = (toolCallId: string, content: ToolResultMessage['content'] = [text('done')]): ToolResultMessage => ({
  role: 'toolResult',
  toolCallId,
  toolName: 'read',
  content,
  isError: false,
  timestamp: 3,
});
const text = (value: string) => ({ type: 'text' as const, text: value });
const call = (id: string) => ({ type: 'toolCall' as const, id, name: 'read', arguments: {} });
const image = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' };
const badImage = { ...image, data: '!!!notbase64' };

const shortText = fc.constantFrom('', ' ', '\n', 'a', 'b c', 'd');
/** Few ids, so that they repeat. */
const id = fc.constantFrom('c1', 'c2', 'c3', 'c1_2', '');
const content = fc.array(fc.oneof(shortText.map(text), fc.constantFrom(image, badImage)), { maxLength: 3 });
const block = fc.oneof(
  shortText.map(text),
  id.map(call),
  fc.record({
    type: fc.constant('thinking' as const),
    thinking: shortText,
    thinkingSignature: fc.option(fc.constant('sig'), { nil: undefined }),
  }),
);
const reason = fc.constantFrom<StopReason>('stop', 'length', 'toolUse', 'error', 'aborted');
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.oneof(shortText, content).map(user),
  fc.tuple(fc.array(block, { maxLength: 4 }), reason).map(([blocks, stopReason]) => assistant(blocks, stopReason)),
  fc.tuple(id, content).map(([toolCallId, blocks]) => result(toolCallId, blocks)),
);
const histories = fc.array(message, { maxLength: 12 });
const options = { numRuns: 3000 };

describe('for any history', () => {
  test('the result is accepted by the strictest provider', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const repaired = repairHistory(history);
        if (repaired.length > 0) expect(findHistoryErrors(repaired)).toEqual([]);
      }),
      options,
    );
  });

  test('a second repair changes nothing', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const once = repairHistory(history);
        expect(repairHistory(once)).toEqual(once);
      }),
      options,
    );
  });

  test('the input is not modified', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const before = structuredClone(history);
        repairHistory(history);
        expect(history).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  test('all user messages are kept, in order', () => {
    fc.assert(
      fc.property(histories, (history) => {
        expect(userTexts(repairHistory(history)).filter((value) => value !== PLACEHOLDER)).toEqual(userTexts(history));
      }),
      options,
    );
  });

  test('every result of a kept call is kept, after its call', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const expected = expectedResults(history);
        const results = repairHistory(history).filter((entry) => entry.role === 'toolResult');
        expect(results.filter(isFinished).map(({ timestamp }) => timestamp)).toEqual(expected);
      }),
      options,
    );
  });

  test('later messages do not change the output for earlier ones', () => {
    fc.assert(
      fc.property(histories, histories, (history, laterMessages) => {
        const repaired = repairHistory(history);
        // A call without a result has a placeholder result, which changes when the real result comes.
        fc.pre(repaired.every((entry) => entry.role !== 'toolResult' || isFinished(entry)));
        fc.pre(repaired.length > 0);
        expect(repairHistory([...history, ...laterMessages]).slice(0, repaired.length)).toEqual(repaired);
      }),
      { numRuns: 1000 },
    );
  });
});

const PLACEHOLDER = '(The beginning of this conversation is not available.)';
const MISSING_RESULT = 'No result: the tool did not finish.';

function userTexts(history: readonly ModelMessage[]): string[] {
  return history
    .filter((entry) => entry.role === 'user')
    .map(({ content: blocks }) =>
      typeof blocks === 'string'
        ? [blocks]
        : blocks.map((part) =>
            'text' in part ? part.text.replace(/^\[An image was left out.*/, '<image>') : '<image>',
          ),
    )
    .map((parts) => parts.filter((part) => part.trim() !== '').join('|'))
    .filter((value) => value !== '');
}

function isFinished({ content: blocks }: ToolResultMessage): boolean {
  return extractText(blocks) !== MISSING_RESULT;
}

/** Timestamps of the results that must be kept, in the order of their calls. Sets the timestamps to identify the messages. */
function expectedResults(history: ModelMessage[]): number[] {
  history.forEach((entry, index) => {
    entry.timestamp = index;
  });
  return history.flatMap((entry, index) => {
    if (entry.role !== 'assistant' || entry.stopReason === 'error' || entry.stopReason === 'aborted') return [];
    const ids = entry.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []));
    const usedTimestamps = new Set<number>();
    return ids.flatMap((callId) => {
      // Results with this id belong to this answer until another answer has a call with the same id.
      const later = history.slice(index + 1);
      const end = later.findIndex(
        (m) => m.role === 'assistant' && m.content.some((b) => b.type === 'toolCall' && b.id === callId),
      );
      const matching = later
        .slice(0, end < 0 ? undefined : end)
        .find((m) => m.role === 'toolResult' && m.toolCallId === callId && !usedTimestamps.has(m.timestamp));
      if (!matching) return [];
      usedTimestamps.add(matching.timestamp);
      return [matching.timestamp];
    });
  });
}

describe('examples', () => {
  test('a valid history is returned with the same objects', () => {
    const history = [user('a'), assistant([text('b'), call('c1')], 'toolUse'), result('c1'), assistant([text('d')])];
    const repaired = repairHistory(history);
    expect(repaired).toHaveLength(4);
    repaired.forEach((entry, index) => {
      expect(entry).toBe(history[index]);
    });
  });

  test('a call without a result gets an error result', () => {
    expect(repairHistory([user('a'), assistant([call('c1')], 'toolUse')]).at(-1)).toMatchObject({
      role: 'toolResult',
      toolCallId: 'c1',
      toolName: 'read',
      isError: true,
    });
  });

  test('results after the next prompt are moved to their calls', () => {
    const repaired = repairHistory([
      user('a'),
      assistant([call('c1'), call('c2')], 'toolUse'),
      result('c2'),
      user('b'),
      result('c1'),
    ]);
    expect(repaired.map((entry) => ('toolCallId' in entry ? entry.toolCallId : entry.role))).toEqual([
      'user',
      'assistant',
      'c1',
      'c2',
      'user',
    ]);
  });

  test('repeated ids become unique, in calls and results', () => {
    const turn = (output: string) => [assistant([call('call_0')], 'toolUse'), result('call_0', [text(output)])];
    const repaired = repairHistory([user('a'), ...turn('first'), ...turn('second'), ...turn('third')]);
    expect(findHistoryErrors(repaired)).toEqual([]);
    const results = repaired.filter((entry) => entry.role === 'toolResult');
    expect(results.map(({ toolCallId, content: blocks }) => [toolCallId, extractText(blocks)])).toEqual([
      ['call_0', 'first'],
      ['call_0_2', 'second'],
      ['call_0_3', 'third'],
    ]);
  });

  test('blank text blocks are dropped, even next to an image; an empty result gets a placeholder', () => {
    const repaired = repairHistory([
      user([text(''), image]),
      assistant([call('c1')], 'toolUse'),
      result('c1', [text('\n')]),
    ]);
    expect(repaired[0]?.content).toEqual([image]);
    expect(repaired.at(-1)?.content).toEqual([text('(no output)')]);
  });

  test('a history that starts with an answer gets a user message first', () => {
    expect(repairHistory([assistant([text('b')])])[0]).toMatchObject({ role: 'user', content: [text(PLACEHOLDER)] });
    expect(repairHistory([])).toEqual([]);
  });
});

describe('the strict provider refuses', () => {
  const bad: [string, ModelMessage[]][] = [
    ['an empty history', []],
    ['an answer first', [assistant([text('a')])]],
    ['a blank prompt', [user(' ')]],
    ['an empty prompt', [user([])]],
    ['a call without a result', [user('a'), assistant([call('c1')])]],
    ['a user message between a call and its result', [user('a'), assistant([call('c1')]), user('b'), result('c1')]],
    ['a result without a call', [user('a'), result('c1')]],
    ['two results', [user('a'), assistant([call('c1')]), result('c1'), result('c1')]],
    ['results in another order', [user('a'), assistant([call('c1'), call('c2')]), result('c2'), result('c1')]],
    ['the same id twice', [user('a'), assistant([call('c1')]), result('c1'), assistant([call('c1')]), result('c1')]],
    ['an answer with only thinking', [user('a'), assistant([{ type: 'thinking', thinking: 'hm' }])]],
    ['a failed answer', [user('a'), assistant([text('b')], 'error')]],
  ];
  test.each(bad)('%s', (_, history) => {
    expect(findHistoryErrors(history)).not.toEqual([]);
  });
});

describe('images', () => {
  const url = (address: string) => ({ type: 'image' as const, source: { type: 'url' as const, url: address } });
  const note = (problem: string) => text(`[An image was left out: it ${problem}.]`);

  test.each([
    ['not base64', badImage, note('is not base64')],
    ['HTML', { ...image, data: 'PGh0bWw+PC9odG1sPg==' }, note('is not a PNG, JPEG, GIF or WebP image')],
    ['empty', { ...image, data: '' }, note('is empty')],
    ['a file URL', url('file:///etc/passwd'), note('is not an http or https address')],
    ['a data URL', { ...image, data: 'data:image/png;base64,iVBORw0KGgo=' }, image],
    ['the wrong type', { ...image, mimeType: 'image/webp' }, image],
    ['a data URL as source', url('data:image/png;base64,iVBORw0KGgo='), image],
    ['an https URL', url('https://example.org/a.png'), url('https://example.org/a.png')],
  ])('%s', (_name, original, expected) => {
    const history = [user([text('look'), original]), assistant([call('c1')], 'toolUse'), result('c1', [original])];
    const [prompt, , toolResult] = repairHistory(history);
    expect(prompt?.content).toEqual([text('look'), expected]);
    expect(toolResult?.content).toEqual([expected]);
    // The same objects in later requests: the image is not parsed again.
    expect(repairHistory(history)[0]?.content[1]).toBe(prompt?.content[1]);
  });

  test('a message with readable images stays the same object', () => {
    const message = user([text('look'), image]);
    expect(repairHistory([message])[0]).toBe(message);
  });
});
