// A small agent that is killed by a test: starts several kinds of children, prints their pids and waits. Bundled by
// process-death.test.ts.
import { writeSync } from 'node:fs';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';

const DEEP = 'echo $$; if [ $1 -gt 1 ]; then sh -c "$2" sh $(($1 - 1)) "$2" & fi; sleep 600 & wait';
const SCRIPTS = [
  'echo $$; exec sleep 600',
  DEEP,
  'setsid sh -c "echo \\$\\$; exec sleep 600" & wait',
  // Output after the exit of the leader is not awaited, so the leader waits for it.
  'f=$(mktemp -u); setsid setsid sh -c "echo \\$\\$; : > $f; exec sleep 600" & until [ -e $f ]; do sleep 0.01; done; rm $f',
  'sleep 600 & echo $!',
  'env -i sleep 600 & echo $!; exit',
  'trap "" TERM HUP INT; echo $$; while :; do sleep 1; done',
];
const EXPECTED = SCRIPTS.length + 4;

const ports = createSystemPorts();
let output = '';

function spawn(script: string, onOutput: (chunk: Uint8Array) => void) {
  const args = ['-c', script, 'sh', '5', script];
  return ports.processes.spawn({ command: '/bin/sh', args, cwd: '/', env: ports.toolEnv, onOutput });
}

function printPidsWhenComplete(chunk: Uint8Array): void {
  output += Buffer.from(chunk).toString();
  const pids = output.match(/\d+\n/g) ?? [];
  if (pids.length === EXPECTED) writeSync(1, `${JSON.stringify(pids.map(Number))}\n`);
}

async function startManyChildren(): Promise<void> {
  for (let i = 0; i < 60; i += 1) {
    const { pid } = await spawn('setsid sleep 600 & sleep 600 & wait', () => {});
    writeSync(1, `[${pid}]\n`);
    // Yields to the event loop, so that the kill can happen at any point.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const endings: Record<string, () => void> = {
  'process.exit': () => process.exit(3),
  throw: () => {
    throw new Error('unexpected exception in the agent');
  },
  close: () => void ports.close(),
};
process.stdin.once('data', (command) => endings[String(command)]?.());

if (process.argv[2] === 'storm') await startManyChildren();
else for (const script of SCRIPTS) await spawn(script, printPidsWhenComplete);
