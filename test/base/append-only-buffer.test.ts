import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppendOnlyBuffer } from '../../src/base/append-only-buffer.ts';

test('the buffer contains the bytes of all appended texts, and earlier slices do not change', () => {
  const part = fc.tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom(1, 1, 1, 1000));
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const bytes = new AppendOnlyBuffer();
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
