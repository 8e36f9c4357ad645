import { describe, expect, test } from 'vitest';
import { Drawing } from '../../src/terminal/drawing.ts';
import { createFakeClock } from '../../src/testing/index.ts';

function stage(moves = false) {
  const clock = createFakeClock();
  const drawn: number[] = [];
  const began = clock.now();
  const drawing = new Drawing(clock, () => {
    drawn.push(clock.now() - began);
    return { moves };
  });
  return { clock, drawn, drawing };
}

describe('drawing', () => {
  test('what grows without a pause is drawn all the same, and not for every piece', async () => {
    const { clock, drawn, drawing } = stage();
    for (let ms = 0; ms < 300; ms += 5) {
      drawing.soon();
      await clock.advance(5);
    }
    expect(drawn).toEqual([30, 60, 90, 120, 150, 180, 210, 240, 270, 300]);
  });

  test('what moves is drawn again until it rests; what is new does not wait for that', async () => {
    const { clock, drawn, drawing } = stage(true);
    drawing.now();
    await clock.advance(110);
    drawing.soon();
    await clock.advance(30);
    expect(drawn).toEqual([0, 140]);
    await clock.advance(240);
    expect(drawn).toEqual([0, 140, 260, 380]);
    drawing.end();
    drawing.soon();
    drawing.now();
    await clock.advance(1000);
    expect(drawn).toHaveLength(4);
  });
});
