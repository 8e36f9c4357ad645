// Whatever happened to a history, the model gets one that no provider refuses, and nothing is lost that could be kept.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repair } from '../../../src/core/context/repair.ts';
import {
  type AssistantMessage,
  type ModelMessage,
  noUsage,
  type StopReason,
  type ToolResultMessage,
  textOf,
  type UserMessage,
} from '../../../src/protocol/index.ts';
import { refusals } from '../../support/strict-provider.ts';

type Block = AssistantMessage['content'][number];

const user = (content: UserMessage['content']): UserMessage => ({ role: 'user', content, timestamp: 1 });
const assistant = (content: Block[], stopReason: StopReason = 'stop'): AssistantMessage => ({
  role: 'assistant',
  content,
  api: 'wire',
  provider: 'house',
  model: 'one',
  usage: noUsage(),
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
const text = (words: string) => ({ type: 'text' as const, text: words });
const call = (id: string) => ({ type: 'toolCall' as const, id, name: 'read', arguments: {} });
const image = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' };
const badImage = { ...image, data: '!!!notbase64' };

const words = fc.constantFrom('', ' ', '\n', 'a', 'b c', 'd');
/** Few ids, so that they meet again. */
const id = fc.constantFrom('c1', 'c2', 'c3', 'c1_2', '');
const content = fc.array(fc.oneof(words.map(text), fc.constantFrom(image, badImage)), { maxLength: 3 });
const block = fc.oneof(
  words.map(text),
  id.map(call),
  fc.record({
    type: fc.constant('thinking' as const),
    thinking: words,
    thinkingSignature: fc.option(fc.constant('sig'), { nil: undefined }),
  }),
);
const reason = fc.constantFrom<StopReason>('stop', 'length', 'toolUse', 'error', 'aborted');
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.oneof(words, content).map(user),
  fc.tuple(fc.array(block, { maxLength: 4 }), reason).map(([blocks, stopReason]) => assistant(blocks, stopReason)),
  fc.tuple(id, content).map(([of, said]) => result(of, said)),
);
const damaged = fc.array(message, { maxLength: 12 });
const runs = { numRuns: 3000 };

describe('any history', () => {
  test('is accepted by the strictest provider', () => {
    fc.assert(
      fc.property(damaged, (history) => {
        const repaired = repair(history);
        if (repaired.length > 0) expect(refusals(repaired)).toEqual([]);
      }),
      runs,
    );
  });

  test('stays as it is when it is repaired again', () => {
    fc.assert(
      fc.property(damaged, (history) => {
        const once = repair(history);
        expect(repair(once)).toEqual(once);
      }),
      runs,
    );
  });

  test('is not touched itself', () => {
    fc.assert(
      fc.property(damaged, (history) => {
        const before = structuredClone(history);
        repair(history);
        expect(history).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  test('keeps everything that a user said, in order', () => {
    fc.assert(
      fc.property(damaged, (history) => {
        expect(saidBy(repair(history)).filter((said) => said !== BEGINNING)).toEqual(saidBy(history));
      }),
      runs,
    );
  });

  test('keeps every result of a call that stands, at its call', () => {
    fc.assert(
      fc.property(damaged, (history) => {
        const expected = expectedResults(history);
        const kept = repair(history).filter((entry) => entry.role === 'toolResult');
        expect(kept.filter(isFinished).map(({ timestamp }) => timestamp)).toEqual(expected);
      }),
      runs,
    );
  });

  test('what comes later does not change what stands before it', () => {
    fc.assert(
      fc.property(damaged, damaged, (history, more) => {
        const settled = repair(history);
        // A call without a result is answered for now; its result may still come.
        fc.pre(settled.every((entry) => entry.role !== 'toolResult' || isFinished(entry)));
        fc.pre(settled.length > 0);
        expect(repair([...history, ...more]).slice(0, settled.length)).toEqual(settled);
      }),
      { numRuns: 1000 },
    );
  });
});

const BEGINNING = '(The beginning of this conversation is not available.)';
const MISSING = 'No result: the tool did not finish.';

function saidBy(history: readonly ModelMessage[]): string[] {
  return history
    .filter((entry) => entry.role === 'user')
    .map(({ content: said }) =>
      typeof said === 'string'
        ? [said]
        : said.map((part) => ('text' in part ? part.text.replace(/^\[An image was left out.*/, '<image>') : '<image>')),
    )
    .map((parts) => parts.filter((part) => part.trim() !== '').join('|'))
    .filter((said) => said !== '');
}

function isFinished({ content: said }: ToolResultMessage): boolean {
  return textOf(said) !== MISSING;
}

/** The results that must be found again, told apart by their timestamps, in the order of their calls. */
function expectedResults(history: ModelMessage[]): number[] {
  history.forEach((entry, index) => {
    entry.timestamp = index;
  });
  return history.flatMap((entry, index) => {
    if (entry.role !== 'assistant' || entry.stopReason === 'error' || entry.stopReason === 'aborted') return [];
    const ids = entry.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []));
    const taken = new Set<number>();
    return ids.flatMap((wanted) => {
      // Until another answer calls by the same id, results of that id are this one's.
      const later = history.slice(index + 1);
      const end = later.findIndex(
        (m) => m.role === 'assistant' && m.content.some((b) => b.type === 'toolCall' && b.id === wanted),
      );
      const found = later
        .slice(0, end < 0 ? undefined : end)
        .find((m) => m.role === 'toolResult' && m.toolCallId === wanted && !taken.has(m.timestamp));
      if (!found) return [];
      taken.add(found.timestamp);
      return [found.timestamp];
    });
  });
}

describe('by hand', () => {
  test('a sound history comes back as it is, object by object', () => {
    const history = [user('a'), assistant([text('b'), call('c1')], 'toolUse'), result('c1'), assistant([text('d')])];
    const repaired = repair(history);
    expect(repaired).toHaveLength(4);
    repaired.forEach((entry, index) => {
      expect(entry).toBe(history[index]);
    });
  });

  test('a call that a crash left open gets a result that says so', () => {
    expect(repair([user('a'), assistant([call('c1')], 'toolUse')]).at(-1)).toMatchObject({
      role: 'toolResult',
      toolCallId: 'c1',
      toolName: 'read',
      isError: true,
    });
  });

  test('results that came late, after the next prompt, go back to their calls', () => {
    const repaired = repair([
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

  test('ids that a server uses again are told apart, calls and results alike', () => {
    const turn = (said: string) => [assistant([call('call_0')], 'toolUse'), result('call_0', [text(said)])];
    const repaired = repair([user('a'), ...turn('first'), ...turn('second'), ...turn('third')]);
    expect(refusals(repaired)).toEqual([]);
    const results = repaired.filter((entry) => entry.role === 'toolResult');
    expect(results.map(({ toolCallId, content: said }) => [toolCallId, textOf(said)])).toEqual([
      ['call_0', 'first'],
      ['call_0_2', 'second'],
      ['call_0_3', 'third'],
    ]);
  });

  test('blank texts go, beside an image too; a result without words says so', () => {
    const repaired = repair([user([text(''), image]), assistant([call('c1')], 'toolUse'), result('c1', [text('\n')])]);
    expect(repaired[0]?.content).toEqual([image]);
    expect(repaired.at(-1)?.content).toEqual([text('(no output)')]);
  });

  test('a history that lost its beginning gets one', () => {
    expect(repair([assistant([text('b')])])[0]).toMatchObject({ role: 'user', content: [text(BEGINNING)] });
    expect(repair([])).toEqual([]);
  });
});

describe('the strict provider refuses', () => {
  const bad: [string, ModelMessage[]][] = [
    ['an empty history', []],
    ['an answer first', [assistant([text('a')])]],
    ['a blank prompt', [user(' ')]],
    ['an empty prompt', [user([])]],
    ['an open call', [user('a'), assistant([call('c1')])]],
    ['words before a result', [user('a'), assistant([call('c1')]), user('b'), result('c1')]],
    ['a result without a call', [user('a'), result('c1')]],
    ['two results', [user('a'), assistant([call('c1')]), result('c1'), result('c1')]],
    ['results in another order', [user('a'), assistant([call('c1'), call('c2')]), result('c2'), result('c1')]],
    ['the same id twice', [user('a'), assistant([call('c1')]), result('c1'), assistant([call('c1')]), result('c1')]],
    ['thinking alone', [user('a'), assistant([{ type: 'thinking', thinking: 'hm' }])]],
    ['an answer that failed', [user('a'), assistant([text('b')], 'error')]],
  ];
  test.each(bad)('%s', (_, history) => {
    expect(refusals(history)).not.toEqual([]);
  });
});

describe('images of an old history', () => {
  const url = (address: string) => ({ type: 'image' as const, source: { type: 'url' as const, url: address } });
  const note = (why: string) => text(`[An image was left out: it ${why}.]`);

  test.each([
    ['not base64', badImage, note('is not base64')],
    ['HTML', { ...image, data: 'PGh0bWw+PC9odG1sPg==' }, note('is not a PNG, JPEG, GIF or WebP image')],
    ['empty', { ...image, data: '' }, note('is empty')],
    ['a path', url('file:///etc/passwd'), note('is not an http or https address')],
    ['a data URL', { ...image, data: 'data:image/png;base64,iVBORw0KGgo=' }, image],
    ['the wrong type', { ...image, mimeType: 'image/webp' }, image],
    ['a data URL as an address', url('data:image/png;base64,iVBORw0KGgo='), image],
    ['an address', url('https://example.org/a.png'), url('https://example.org/a.png')],
  ])('%s', (_name, given, expected) => {
    const history = [user([text('look'), given]), assistant([call('c1')], 'toolUse'), result('c1', [given])];
    const [asked, , answered] = repair(history);
    expect(asked?.content).toEqual([text('look'), expected]);
    expect(answered?.content).toEqual([expected]);
    // The same objects again, so that requests keep their bytes and nothing is read twice.
    expect(repair(history)[0]?.content[1]).toBe(asked?.content[1]);
  });

  test('a message whose images are readable stays the same object', () => {
    const message = user([text('look'), image]);
    expect(repair([message])[0]).toBe(message);
  });
});
