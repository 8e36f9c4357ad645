import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingBytes } from '../../src/base/growing-bytes.ts';

test('any texts, appended, are the bytes of their sum, and every earlier slice stays what it was', () => {
  const part = fc.tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom(1, 1, 1, 1000));
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const bytes = new GrowingBytes();
      const history: { slice: Uint8Array; text: string }[] = [];
      let text = '';
      for (const [piece, times] of parts) {
        text += piece.repeat(times);
        bytes.append(piece.repeat(times));
        history.push({ slice: bytes.slice(), text });
      }
      expect(bytes.length).toBe(Buffer.byteLength(text));
      for (const { slice, text } of history) expect(Buffer.from(slice).toString() === text).toBe(true);
    }),
  );
});
