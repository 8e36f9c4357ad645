// Forwards one abort signal to many. Each consumer gets its own signal, because Node warns about a signal with many listeners.

export interface SignalFanOut {
  createSignal(): AbortSignal;
  /** Aborts with the source, and can be aborted alone. */
  createController(): AbortController;
  /** Removes the listener from the source signal. */
  close(): void;
}

export function createSignalFanOut(source: AbortSignal): SignalFanOut {
  const controllers = new Set<AbortController>();
  const onAbort = () => {
    for (const controller of controllers) controller.abort();
  };
  source.addEventListener('abort', onAbort, { once: true });
  const createController = () => {
    const controller = new AbortController();
    if (source.aborted) controller.abort();
    controllers.add(controller);
    return controller;
  };
  return {
    createSignal: () => createController().signal,
    createController,
    close: () => source.removeEventListener('abort', onAbort),
  };
}
