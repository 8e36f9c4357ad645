// Requests between the bench and its worker processes over the IPC channel of Node.
// @ts-check
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** @typedef {{ pid: number, call: (name: string, ...args: unknown[]) => Promise<any>, end: () => void }} Worker */

/**
 * Starts a file of this folder as a process.
 * @param {string} file
 * @returns {Worker}
 */
export function startWorker(file) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  /** @type {Map<number, { resolve: (value: unknown) => void, reject: (problem: Error) => void }>} */
  const waiting = new Map();
  let lastId = 0;
  child.on('message', (/** @type {{ id: number, result?: unknown, problem?: string }} */ { id, result, problem }) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (problem === undefined) call?.resolve(result);
    else call?.reject(new Error(problem));
  });
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} has ended`));
  });
  return {
    pid: /** @type {number} */ (child.pid),
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        waiting.set(++lastId, { resolve, reject });
        child.send({ id: lastId, name, args });
      }),
    // A worker ends when the channel is closed.
    end: () => child.connected && child.disconnect(),
  };
}

/**
 * Answers the calls in the worker process.
 * @param {Record<string, (...args: any[]) => unknown>} functions
 */
export function answerCalls(functions) {
  process.on('disconnect', () => process.exit());
  process.on('message', async (/** @type {{ id: number, name: string, args: unknown[] }} */ { id, name, args }) => {
    try {
      process.send?.({ id, result: await functions[name]?.(...args) });
    } catch (thrown) {
      process.send?.({ id, problem: `${name}: ${thrown instanceof Error ? thrown.stack : thrown}` });
    }
  });
}

/** A clock that all processes of the machine share, in milliseconds. */
export function sharedNow() {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
