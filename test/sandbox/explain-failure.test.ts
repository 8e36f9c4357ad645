// Sentences that say how the sandbox may be the reason of a failure.
import { expect, test } from 'vitest';
import { explainFailure } from '../../src/sandbox/explain-failure.ts';
import { openAllowListNetwork } from '../../src/sandbox/network/allow-list-network.ts';

const OFF = { description: 'workspace-write, network off', network: 'off' } as const;

test.each([
  ['touch: cannot touch x: Read-only file system', 'changing files outside the writable directories'],
  ["mv: cannot move '.git': Device or resource busy", 'changing files outside the writable directories'],
  ['curl: (6) Could not resolve host: example.com', 'using the network'],
  ['Error: connect ECONNREFUSED 127.0.0.1:80', 'using the network'],
  ['cat: /root/x: Permission denied', 'reading private files'],
  ['zsh: Operation not permitted', 'reading private files'],
])('%s', (output, reason) => {
  expect(explainFailure({ exitCode: 1, output }, OFF)).toMatch(
    new RegExp(`^The sandbox \\(workspace-write, network off\\) may be the reason: it forbids ${reason}`),
  );
});

test.each([
  [{ exitCode: 0, output: 'Read-only file system' }, OFF],
  [{ exitCode: 1, output: '2 tests failed' }, OFF],
  [{ exitCode: 1, output: `Read-only file system${'\n'.repeat(30_000)}` }, OFF],
  [
    { exitCode: 1, output: 'connection refused' },
    { ...OFF, network: 'on' as const },
  ],
])('nothing is said: case %#', (run, context) => {
  expect(explainFailure(run, context)).toBeUndefined();
});

test('refused hosts are named in place of a guess about the network', async () => {
  let refuse: ((host: string, reason: string) => void) | undefined;
  const network = await openAllowListNetwork({
    allowedHosts: ['example.com'],
    listenOn: 'port',
    log: () => {},
    openFilterProxy: async ({ onRefused }) => {
      refuse = onRefused;
      return { address: { port: 1 }, token: 't', close: async () => {} };
    },
  });
  const context = {
    description: 'workspace-write, network allow-list',
    network: 'allow-list',
    explainRefusals: network.explainRefusals,
  } as const;
  const run = { exitCode: 56, output: 'curl: (6) Could not resolve host' };
  expect(explainFailure(run, context)).toContain('using the network');
  refuse?.('registry.npmjs.org', 'not listed');
  refuse?.('registry.npmjs.org', 'not listed');
  refuse?.('pypi.org', 'not listed');
  expect(explainFailure(run, context)).toBe(
    'The sandbox refused connections to registry.npmjs.org, pypi.org: not in sandbox.allowedHosts.',
  );
  expect(explainFailure({ exitCode: 1, output: 'EROFS' }, context)).toMatch(
    /not in sandbox\.allowedHosts\. The sandbox/,
  );
  expect(explainFailure({ exitCode: 0, output: '' }, context)).toBeUndefined();
});
