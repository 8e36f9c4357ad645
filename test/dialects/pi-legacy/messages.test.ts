// The shapes of legacy pi: words that came as a string are one again, and nothing else of a message changes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { legacyMessage, legacyOpening } from '../../../src/dialects/pi-legacy/messages.ts';
import { LegacyRuns } from '../../../src/dialects/pi-legacy/runs.ts';
import { type AssistantMessage, noUsage, type UserMessage } from '../../../src/protocol/index.ts';

const said = (content: UserMessage['content']): UserMessage => ({ role: 'user', content, timestamp: 1 });

test('only a text that stands alone becomes a string', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(legacyMessage(said([{ type: 'text', text }]))).toEqual(said(text));
      expect(legacyMessage(said(text))).toEqual(said(text));
      const several = said([
        { type: 'text', text },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ]);
      expect(legacyMessage(several)).toBe(several);
    }),
  );
});

test('an answer begins empty, also one that failed before it began', () => {
  const failed: AssistantMessage = {
    role: 'assistant',
    content: [{ type: 'text', text: 'x' }],
    api: 'a',
    provider: 'p',
    model: 'm',
    usage: { ...noUsage(), input: 7 },
    stopReason: 'error',
    errorMessage: 'no',
    timestamp: 1,
  };
  const { errorMessage: _, ...rest } = failed;
  expect(legacyOpening(failed)).toEqual({ ...rest, content: [], usage: noUsage(), stopReason: 'stop' });
});

test('however many runs follow one another, one beginning and one end are told', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string(), { maxLength: 3 }), { minLength: 1 }), (made) => {
      const runs = new LegacyRuns();
      const beginnings = made.map((texts) => {
        const begun = runs.begin();
        runs.add({ type: 'agent_end', messages: texts.map(said), willRetry: true });
        return begun;
      });
      expect(beginnings.filter(Boolean)).toHaveLength(1);
      expect(runs.end()).toEqual({ type: 'agent_end', messages: made.flat().map(said) });
      expect(runs.end()).toBeUndefined();
    }),
  );
});
