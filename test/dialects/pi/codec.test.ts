// Compactions as pi tells them: the end says again why.
import { expect, test } from 'vitest';
import { createPiCodec } from '../../../src/dialects/pi/codec.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { joined } from '../joined.ts';

const end = {
  type: 'auto_compaction_end',
  result: null,
  aborted: false,
  willRetry: false,
  errorMessage: 'It still does not fit',
} as unknown as AgentEvent;

test('a compaction that was given up before it began has the reason overflow, also after one for the threshold', () => {
  const codec = createPiCodec();
  const reasonOf = (event: AgentEvent) => JSON.parse(joined(codec.event(event)?.chunks ?? [])).reason;
  expect(reasonOf({ type: 'auto_compaction_start', reason: 'threshold' })).toBe('threshold');
  expect(reasonOf(end)).toBe('threshold');
  expect(reasonOf(end)).toBe('overflow');
});
