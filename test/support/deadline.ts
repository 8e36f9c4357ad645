// For tests that wait for something outside of them: a wait that is never satisfied fails and names what was missing.

/** No single wait of a test takes longer, even on a machine that is busy with other tests. */
export const DEADLINE_MS = 60_000;

/** The promise; fails after a minute with what was waited for. `state` adds what is known by then. */
export function within<T>(promise: Promise<T>, what: string, state: () => string = () => ''): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Waited ${DEADLINE_MS} ms for ${what}. ${state()}`)), DEADLINE_MS);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
