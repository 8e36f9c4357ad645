// Timers of the client. They run in browsers too, so they do not come from the ports of the agent.

/** Resolves after `ms`, or when the signal aborts. Keeps the program running. */
export function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
    if (signal.aborted) finish();
  });
}

/** Calls `act` after each interval. Returns a function that stops it. Does not keep the program running. */
export function repeatEvery(ms: number, act: () => void): () => void {
  const timer = setInterval(act, ms) as ReturnType<typeof setInterval> | number;
  if (typeof timer === 'object') timer.unref();
  return () => clearInterval(timer);
}

/** Waits for one turn of the event loop, including pipe polling. Uses a message port because no delay is wanted. */
export function waitOneTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
