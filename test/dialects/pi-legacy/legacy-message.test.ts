// Tests of the message format and the run merging of legacy pi.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toLegacyMessage, toLegacyMessageStart } from '../../../src/dialects/pi-legacy/legacy-message.ts';
import { RunMerger } from '../../../src/dialects/pi-legacy/run-merger.ts';
import { type AssistantMessage, createEmptyUsage, type UserMessage } from '../../../src/protocol/index.ts';

const createUserMessage = (content: UserMessage['content']): UserMessage => ({ role: 'user', content, timestamp: 1 });

test('only a single text block becomes a string', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(toLegacyMessage(createUserMessage([{ type: 'text', text }]))).toEqual(createUserMessage(text));
      expect(toLegacyMessage(createUserMessage(text))).toEqual(createUserMessage(text));
      const several = createUserMessage([
        { type: 'text', text },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ]);
      expect(toLegacyMessage(several)).toBe(several);
    }),
  );
});

test('message_start of an assistant message is empty, even if the message failed before it started', () => {
  const failed: AssistantMessage = {
    role: 'assistant',
    content: [{ type: 'text', text: 'x' }],
    api: 'a',
    provider: 'p',
    model: 'm',
    usage: { ...createEmptyUsage(), input: 7 },
    stopReason: 'error',
    errorMessage: 'no',
    timestamp: 1,
  };
  const { errorMessage: _, ...rest } = failed;
  expect(toLegacyMessageStart(failed)).toEqual({ ...rest, content: [], usage: createEmptyUsage(), stopReason: 'stop' });
});

test('consecutive runs are merged into one agent_start and one agent_end', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string(), { maxLength: 3 }), { minLength: 1 }), (runTexts) => {
      const runs = new RunMerger();
      const starts = runTexts.map((texts) => {
        const start = runs.start();
        runs.addRun({ type: 'agent_end', messages: texts.map(createUserMessage), willRetry: true });
        return start;
      });
      expect(starts.filter(Boolean)).toHaveLength(1);
      expect(runs.end()).toEqual({ type: 'agent_end', messages: runTexts.flat().map(createUserMessage) });
      expect(runs.end()).toBeUndefined();
    }),
  );
});
