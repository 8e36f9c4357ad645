// Runs a function once per animation frame. In a page that is not visible there are no animation frames, so a timer is used.

const HIDDEN_DELAY_MS = 250;
/** On a slow machine some animation frames are left free, so that scrolling and typing stay smooth. */
const MAX_PAUSE_MS = 100;

export function createFlushScheduler(run: () => void): { schedule(): void; cancel(): void } {
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    if (timer !== undefined) clearTimeout(timer);
    frame = undefined;
    timer = undefined;
  };
  let pauseEnd = 0;
  const flush = () => {
    cancel();
    const start = performance.now();
    run();
    // What was changed is drawn before the next task.
    setTimeout(() => {
      const end = performance.now();
      pauseEnd = end + Math.min(end - start, MAX_PAUSE_MS);
    });
  };
  const flushInFrame = () => {
    if (performance.now() >= pauseEnd) flush();
    else frame = requestAnimationFrame(flushInFrame);
  };
  return {
    cancel,
    schedule() {
      if (frame !== undefined || timer !== undefined) return;
      if (!document.hidden) frame = requestAnimationFrame(flushInFrame);
      // Also while visible: the page may be hidden before the next animation frame.
      timer = setTimeout(flush, HIDDEN_DELAY_MS);
    },
  };
}
