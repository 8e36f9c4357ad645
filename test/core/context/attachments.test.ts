// Attachments as content blocks for the model.
import { expect, test } from 'vitest';
import { estimateTokens } from '../../../src/core/compaction/tokens.ts';
import { inlineAttachments } from '../../../src/core/context/attachments.ts';
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

test('text comes first, then the attachments in order; the original message is not changed', () => {
  const original = message([file({ type: 'image', mimeType: 'image/png' }), file({ extractedText: 'b' })]);
  const copy = structuredClone(original);
  expect(inlineAttachments(original)).toEqual({
    role: 'user',
    content: [
      { type: 'text', text: 'Read' },
      { type: 'image', data: 'Yg==', mimeType: 'image/png' },
      { type: 'text', text: '<document name="b.txt">\nb\n</document>' },
    ],
    timestamp: 1,
  });
  expect(original).toEqual(copy);
});

test('a blank text block, which providers refuse, is dropped', () => {
  const { content } = inlineAttachments(message([file({ extractedText: 'b' })], [{ type: 'text', text: ' ' }]));
  expect(content).toEqual([{ type: 'text', text: '<document name="b.txt">\nb\n</document>' }]);
});

test('the text of a document counts towards the context window', () => {
  expect(estimateTokens(message([file({ extractedText: 'x'.repeat(4000) })]))).toBeGreaterThan(1000);
});
