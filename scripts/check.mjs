// Runs the linters and the type checker at the same time: the type checker uses only one core. `npm test` begins with it.
// @ts-check
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** @param {string} name A script of package.json. */
async function runScript(name) {
  const child = spawn('npm', ['run', '-s', name], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { output: stdout + stderr, isPassed: code === 0 };
}

for (const { output, isPassed } of await Promise.all(['types', 'lint'].map(runScript))) {
  process.stderr.write(output);
  if (!isPassed) process.exitCode = 1;
}
