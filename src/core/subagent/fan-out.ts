// First floor, core: one abort for many. Each gets a signal of its own, because Node warns of a signal that many listen to.

export interface FanOut {
  signal(): AbortSignal;
  /** Stops listening. */
  close(): void;
}

export function fanOut(source: AbortSignal): FanOut {
  const controllers = new Set<AbortController>();
  const onAbort = () => {
    for (const controller of controllers) controller.abort();
  };
  source.addEventListener('abort', onAbort, { once: true });
  return {
    signal() {
      const controller = new AbortController();
      if (source.aborted) controller.abort();
      controllers.add(controller);
      return controller.signal;
    },
    close: () => source.removeEventListener('abort', onAbort),
  };
}
