// Limits how long a test waits, and reports what it waited for.

/** The limit of a single wait, also on a busy machine. */
export const DEADLINE_MS = 60_000;

/** Rejects after a minute with an error that names `what`. `state` is added to its message. */
export function withDeadline<T>(promise: Promise<T>, what: string, state: () => string = () => ''): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Waited ${DEADLINE_MS} ms for ${what}. ${state()}`)), DEADLINE_MS);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
