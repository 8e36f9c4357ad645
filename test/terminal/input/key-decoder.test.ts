// Decoding of terminal input: key encodings, pasted text and chunk boundaries.
import { array, assert, constantFrom, integer, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyDecoder, type KeyInput } from '../../../src/terminal/input/key-decoder.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (text: string) => {
  const decoder = new KeyDecoder();
  return [...decoder.push(encode(text)), ...decoder.flush()];
};

describe('keys', () => {
  test.each([
    ['\r', 'enter'],
    ['\u001b\r', 'alt+enter'],
    ['\u001b[13;2u', 'shift+enter'],
    ['\u001b[27;2;13~', 'shift+enter'],
    ['\u001b[13;5u', 'ctrl+enter'],
    ['\n', 'ctrl+j'],
    ['\t', 'tab'],
    ['\u001b[Z', 'shift+tab'],
    ['\u001b[9;2u', 'shift+tab'],
    ['\u007f', 'backspace'],
    ['\u001b\u007f', 'alt+backspace'],
    ['\u0003', 'ctrl+c'],
    ['\u001b[99;5u', 'ctrl+c'],
    ['\u0004', 'ctrl+d'],
    ['\u001a', 'ctrl+z'],
    ['\u001b[A', 'up'],
    ['\u001bOA', 'up'],
    ['\u001b[1;3A', 'alt+up'],
    ['\u001b[1;5D', 'ctrl+left'],
    ['\u001b[3~', 'delete'],
    ['\u001b[H', 'home'],
    ['\u001b[4~', 'end'],
    ['\u001bb', 'alt+b'],
    ['\u001b[98;3u', 'alt+b'],
    ['\u001b', 'escape'],
    ['\u001b[27u', 'escape'],
    ['\u001b[27;1u', 'escape'],
  ])('%j is %s', (sequence, key) => expect(decode(sequence)).toEqual([{ key }]));

  test('non-ASCII text is decoded', () => {
    expect(decode('hä日👩‍👩‍👧')).toEqual([{ text: 'hä日👩‍👩‍👧' }]);
    expect(decode('\u001b[228u')).toEqual([{ text: 'ä' }]);
  });

  test('pasted text is one input, even if it contains key sequences', () => {
    expect(decode('\u001b[200~a\rb\u0003\u001b[A\u001b[201~c')).toEqual([
      { pasted: 'a\rb\u0003\u001b[A' },
      { text: 'c' },
    ]);
  });

  test('terminal reports and keys without text are ignored', () => {
    expect(decode('\u001b[?1;2c\u001b[57441;2u\u001b[I\u001b[99~')).toEqual([]);
  });

  test('ESC is the Escape key only if no byte follows', () => {
    const decoder = new KeyDecoder();
    expect(decoder.push(encode('\u001b'))).toEqual([]);
    expect(decoder.hasIncompleteInput).toBe(true);
    expect(decoder.push(encode('[A'))).toEqual([{ key: 'up' }]);
    expect(decoder.hasIncompleteInput).toBe(false);
    decoder.push(encode('\u001b'));
    expect(decoder.flush()).toEqual([{ key: 'escape' }]);
  });

  test('the result does not depend on chunk boundaries, and no input stays buffered', () => {
    const pieces = constantFrom(
      'a',
      'ü',
      '日',
      '\r',
      '\t',
      '\u001b[A',
      '\u001b[13;2u',
      '\u001b[200~x\ny\u001b[201~',
      '\u0003',
      '\u001bOH',
    );
    assert(
      property(array(pieces), integer({ min: 1, max: 7 }), (keys, size) => {
        const all = encode(keys.join(''));
        const decoder = new KeyDecoder();
        const chunked: KeyInput[] = [];
        for (let at = 0; at < all.length; at += size) chunked.push(...decoder.push(all.subarray(at, at + size)));
        expect(joinText(chunked)).toEqual(joinText(decode(keys.join(''))));
        expect(decoder.hasIncompleteInput).toBe(false);
      }),
    );
  });

  test('arbitrary bytes are accepted', () => {
    assert(
      property(string({ unit: 'binary' }), (text) => {
        const decoder = new KeyDecoder();
        decoder.push(encode(text));
        decoder.flush();
        decoder.push(encode('\u001b[201~'));
        decoder.flush();
        expect(decoder.push(encode('x'))).toEqual([{ text: 'x' }]);
      }),
    );
  });
});

/** Adjacent text may be decoded in one or several inputs. */
function joinText(keyInputs: readonly KeyInput[]): KeyInput[] {
  const all: KeyInput[] = [];
  for (const keyInput of keyInputs) {
    const last = all.at(-1);
    if (last && 'text' in last && 'text' in keyInput) all[all.length - 1] = { text: last.text + keyInput.text };
    else all.push(keyInput);
  }
  return all;
}
