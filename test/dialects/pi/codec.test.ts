// Compaction events of pi: the end event repeats the reason.
import { expect, test } from 'vitest';
import { createPiCodec } from '../../../src/dialects/pi/codec.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { joinChunks } from '../frame-text.ts';

const end = {
  type: 'auto_compaction_end',
  result: null,
  aborted: false,
  willRetry: false,
  errorMessage: 'It still does not fit',
} as unknown as AgentEvent;

test('a compaction that ended without a start has the reason overflow, even after one with the reason threshold', () => {
  const codec = createPiCodec();
  const getReason = (event: AgentEvent) => JSON.parse(joinChunks(codec.encodeEvent(event)?.chunks ?? [])).reason;
  expect(getReason({ type: 'auto_compaction_start', reason: 'threshold' })).toBe('threshold');
  expect(getReason(end)).toBe('threshold');
  expect(getReason(end)).toBe('overflow');
});
