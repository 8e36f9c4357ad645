// The bench's host: starts a program, sends it calls and notes when each line comes. Looks at no more of a line than it must.
// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Adds 50 to 90 ms to the start of Node itself, on machines that set it. */
const { NODE_EXTRA_CA_CERTS: _unwanted, ...cleanEnvironment } = process.env;

/**
 * @param {readonly string[]} args For Node.
 * @param {{ cwd?: string, env?: Record<string, string> }} [options]
 */
export function startHost(args, { cwd, env } = {}) {
  const begun = performance.now();
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...cleanEnvironment, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  /** @type {{ at: number, line: string }[]} */
  const lines = [];
  let rest = '';
  let news = () => {};
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk) => {
    const at = performance.now();
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) lines.push({ at, line });
    news();
  });
  const ended = once(child, 'exit');
  let next = 0;
  return {
    pid: /** @type {number} */ (child.pid),
    begun,
    lines,
    /** @param {object} call Returns when it was sent. */
    send(call) {
      const at = performance.now();
      child.stdin.write(`${JSON.stringify(call)}\n`);
      return at;
    },
    /**
     * The next line that holds the text, and when it came.
     * @param {string} text
     */
    async line(text) {
      for (;;) {
        while (next < lines.length) {
          const found = /** @type {{ at: number, line: string }} */ (lines[next++]);
          if (found.line.includes(text)) return found;
          if (found.line.includes('"success":false')) throw new Error(`${args.join(' ')} refused: ${found.line}`);
        }
        const gone = await Promise.race([
          ended.then(() => true),
          new Promise((resolve) => {
            news = () => resolve(false);
          }),
        ]);
        if (gone) throw new Error(`${args.join(' ')} ended before it said ${text}`);
      }
    },
    async end() {
      child.stdin.end();
      await ended;
      return performance.now();
    },
  };
}
