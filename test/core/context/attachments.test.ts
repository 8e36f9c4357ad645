// Files beside the words, as a model reads them.
import { expect, test } from 'vitest';
import { estimateTokens } from '../../../src/core/compaction/tokens.ts';
import { withAttachments } from '../../../src/core/context/attachments.ts';
import type { Attachment, UserMessage } from '../../../src/protocol/index.ts';

const file = (fields: Partial<Attachment>): Attachment => ({
  id: 'a',
  type: 'document',
  fileName: 'b.txt',
  mimeType: 'text/plain',
  size: 1,
  content: 'Yg==',
  ...fields,
});
const message = (attachments: Attachment[], content: UserMessage['content'] = 'Read'): UserMessage => ({
  role: 'user',
  content,
  attachments,
  timestamp: 1,
});

test('words first, then each file in its order; the message of the log is left alone', () => {
  const original = message([file({ type: 'image', mimeType: 'image/png' }), file({ extractedText: 'b' })]);
  const kept = structuredClone(original);
  expect(withAttachments(original)).toEqual({
    role: 'user',
    content: [
      { type: 'text', text: 'Read' },
      { type: 'image', data: 'Yg==', mimeType: 'image/png' },
      { type: 'text', text: '<document name="b.txt">\nb\n</document>' },
    ],
    timestamp: 1,
  });
  expect(original).toEqual(kept);
});

test('a blank text, which providers refuse, is left out', () => {
  const { content } = withAttachments(message([file({ extractedText: 'b' })], [{ type: 'text', text: ' ' }]));
  expect(content).toEqual([{ type: 'text', text: '<document name="b.txt">\nb\n</document>' }]);
});

test('what a document holds counts towards the context window', () => {
  expect(estimateTokens(message([file({ extractedText: 'x'.repeat(4000) })]))).toBeGreaterThan(1000);
});
