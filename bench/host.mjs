// A host for the benchmarks: starts a program, sends calls and records when each line arrives. It does not parse the lines.
// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** NODE_EXTRA_CA_CERTS adds 50 to 90 ms to the start of Node, so it is removed. */
const { NODE_EXTRA_CA_CERTS: _removed, ...cleanEnvironment } = process.env;

/**
 * @param {readonly string[]} args Arguments of Node.
 * @param {{ cwd?: string, env?: Record<string, string> }} [options]
 */
export function startHost(args, { cwd, env } = {}) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...cleanEnvironment, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  /** @type {{ at: number, line: string }[]} */
  const lines = [];
  let rest = '';
  let notifyReader = () => {};
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk) => {
    const at = performance.now();
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) lines.push({ at, line });
    notifyReader();
  });
  const ended = once(child, 'exit');
  let next = 0;
  return {
    pid: /** @type {number} */ (child.pid),
    startedAt,
    lines,
    /** @param {object} call Returns the time at which it was sent. */
    send(call) {
      const at = performance.now();
      child.stdin.write(`${JSON.stringify(call)}\n`);
      return at;
    },
    /**
     * The next line that contains the text, and the time at which it arrived.
     * @param {string} text
     */
    async line(text) {
      for (;;) {
        while (next < lines.length) {
          const found = /** @type {{ at: number, line: string }} */ (lines[next++]);
          if (found.line.includes(text)) return found;
          if (found.line.includes('"success":false'))
            throw new Error(`${args.join(' ')} rejected a call: ${found.line}`);
        }
        const hasEnded = await Promise.race([
          ended.then(() => true),
          new Promise((resolve) => {
            notifyReader = () => resolve(false);
          }),
        ]);
        if (hasEnded) throw new Error(`${args.join(' ')} ended before it wrote ${text}`);
      }
    },
    async end() {
      child.stdin.end();
      await ended;
      return performance.now();
    },
  };
}
