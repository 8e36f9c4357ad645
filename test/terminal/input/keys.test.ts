// Bytes of a keyboard as keys: however they are cut, whichever of the spellings the terminal has.
import { array, assert, constantFrom, integer, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Keyboard, type Stroke } from '../../../src/terminal/input/keys.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const typed = (text: string) => {
  const keyboard = new Keyboard();
  return [...keyboard.push(bytes(text)), ...keyboard.giveUp()];
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
  ])('%j is %s', (sequence, key) => expect(typed(sequence)).toEqual([{ key }]));

  test('letters are letters, whatever they are', () => {
    expect(typed('hä日👩‍👩‍👧')).toEqual([{ text: 'hä日👩‍👩‍👧' }]);
    expect(typed('\u001b[228u')).toEqual([{ text: 'ä' }]);
  });

  test('what is pasted is one piece, whatever keys are in it', () => {
    expect(typed('\u001b[200~a\rb\u0003\u001b[A\u001b[201~c')).toEqual([
      { pasted: 'a\rb\u0003\u001b[A' },
      { text: 'c' },
    ]);
  });

  test('what no key is does nothing: reports, keys that write nothing', () => {
    expect(typed('\u001b[?1;2c\u001b[57441;2u\u001b[I\u001b[99~')).toEqual([]);
  });

  test('a lone escape is the key only when nothing follows', () => {
    const keyboard = new Keyboard();
    expect(keyboard.push(bytes('\u001b'))).toEqual([]);
    expect(keyboard.isWaiting).toBe(true);
    expect(keyboard.push(bytes('[A'))).toEqual([{ key: 'up' }]);
    expect(keyboard.isWaiting).toBe(false);
    keyboard.push(bytes('\u001b'));
    expect(keyboard.giveUp()).toEqual([{ key: 'escape' }]);
  });

  test('however the bytes are cut, they mean the same, and none is kept for ever', () => {
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
        const all = bytes(keys.join(''));
        const keyboard = new Keyboard();
        const cut: Stroke[] = [];
        for (let at = 0; at < all.length; at += size) cut.push(...keyboard.push(all.subarray(at, at + size)));
        expect(joined(cut)).toEqual(joined(typed(keys.join(''))));
        expect(keyboard.isWaiting).toBe(false);
      }),
    );
  });

  test('any bytes at all are taken without a fault', () => {
    assert(
      property(string({ unit: 'binary' }), (text) => {
        const keyboard = new Keyboard();
        keyboard.push(bytes(text));
        keyboard.giveUp();
        keyboard.push(bytes('\u001b[201~'));
        keyboard.giveUp();
        expect(keyboard.push(bytes('x'))).toEqual([{ text: 'x' }]);
      }),
    );
  });
});

/** Letters that follow one another may come together or apart. */
function joined(strokes: readonly Stroke[]): Stroke[] {
  const all: Stroke[] = [];
  for (const stroke of strokes) {
    const last = all.at(-1);
    if (last && 'text' in last && 'text' in stroke) all[all.length - 1] = { text: last.text + stroke.text };
    else all.push(stroke);
  }
  return all;
}
