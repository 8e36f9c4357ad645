// Arguments of `parley serve` and `--socket` that are refused instead of ignored, and a browser that cannot be opened.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories, runProgram } from '../support/program.ts';
import { OFFLINE, startServer, stopServer } from '../support/server.ts';

test.each([
  [['serve', '--bogus'], 'Unknown flag: --bogus\n\nUsage: parley serve '],
  [['serve', '--model'], 'Flag --model needs a value\n\nUsage: parley serve '],
  [['serve', '--session', 'abc'], 'parley serve takes no --session: its clients select the session'],
  [['serve', '--session='], 'parley serve takes no --session'],
  [['serve', '--continue'], 'parley serve takes no --continue'],
  [['serve', '-p'], 'parley serve takes no --print: send messages with parley -p'],
  [['serve', '--port', '0', '--socket', ''], 'Flag --socket needs a value (got "")'],
  // An empty address would listen on all interfaces.
  [['serve', '--port', '0', '--host', ''], 'The address to listen on is empty.'],
  [['serve', '--port', '0', '--set', 'serve.host= '], 'The address to listen on is empty.'],
  [['serve', 'tokens', 'list', '--read-only'], '--read-only belongs to add NAME\n\nUsage: parley serve tokens'],
  [['serve', 'tokens', '--read-only'], '--read-only belongs to add NAME'],
  [['serve', 'tokens', 'remove', 'x', '--read-only'], '--read-only belongs to add NAME'],
  [['--mode', 'rpc', '--socket='], 'Flag --socket needs a value (got "")'],
  [['-p', 'hi', '--socket', '/nowhere/x.sock'], '--socket needs --mode rpc, or a conversation in a terminal'],
  [['--mode', 'json', '--socket', '/nowhere/x.sock', 'hi'], '--socket needs --mode rpc'],
])('%j', async (args, message) => {
  const { code, stderr, stdout } = await runProgram(args, '', {
    env: { PARLEY_SERVE_TOKEN: 'a-token-that-is-long-enough' },
  });
  expect(stderr).toContain(`Error: ${message}`);
  expect([code, stdout]).toEqual([2, '']);
});

test('a browser that fails to open is reported with an address, which has no token', async () => {
  const directories = createDirectories();
  const bin = join(directories.home, 'bin');
  const fifo = join(directories.home, 'fifo');
  mkdirSync(bin);
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\nread _ < ${fifo}\nexit 3\n`, { mode: 0o755 });
  execFileSync('mkfifo', [fifo]);
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const server = await startServer([...OFFLINE, '--open'], { directories, env });
  const warned = once(server.program.stderr, 'data');
  writeFileSync(fifo, '\n');
  await warned;
  const { stderr } = await stopServer(server);
  expect(stderr).toMatch(/^xdg-open has failed\. Open this address yourself, within two minutes: http:\S+\?code=\S+$/m);
  expect(stderr).not.toContain(server.token);
});
