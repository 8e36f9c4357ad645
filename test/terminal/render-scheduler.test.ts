import { describe, expect, test } from 'vitest';
import { RenderScheduler } from '../../src/terminal/render-scheduler.ts';
import { createFakeClock } from '../../src/testing/index.ts';

function createScheduler(isAnimating = false) {
  const clock = createFakeClock();
  const renderTimes: number[] = [];
  const startTime = clock.now();
  const scheduler = new RenderScheduler(clock, () => {
    renderTimes.push(clock.now() - startTime);
    return { isAnimating };
  });
  return { clock, renderTimes, scheduler };
}

describe('render scheduler', () => {
  test('continuous updates are rendered every 30 ms, not for every update', async () => {
    const { clock, renderTimes, scheduler } = createScheduler();
    for (let ms = 0; ms < 300; ms += 5) {
      scheduler.renderSoon();
      await clock.advance(5);
    }
    expect(renderTimes).toEqual([30, 60, 90, 120, 150, 180, 210, 240, 270, 300]);
  });

  test('an animation is rendered every 120 ms until stopped; updates do not wait for the next animation frame', async () => {
    const { clock, renderTimes, scheduler } = createScheduler(true);
    scheduler.renderNow();
    await clock.advance(110);
    scheduler.renderSoon();
    await clock.advance(30);
    expect(renderTimes).toEqual([0, 140]);
    await clock.advance(240);
    expect(renderTimes).toEqual([0, 140, 260, 380]);
    scheduler.stop();
    scheduler.renderSoon();
    scheduler.renderNow();
    await clock.advance(1000);
    expect(renderTimes).toHaveLength(4);
  });
});
