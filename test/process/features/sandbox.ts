// Runs commands in the sandbox of the settings. Where bubblewrap is missing or forbidden, a program stands for it that only starts the command.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHAT_MODEL_FLAGS, startChatProvider } from '../../support/chat-provider.ts';
import { closeProgram, promptAndSettle, startRpc, writeFiles } from './feature-program.ts';

/** Found after the real one. It ignores its options, except the one by which the real one is checked. */
const SUBSTITUTE = `#!/bin/sh
[ "$1" = --version ] && echo "bubblewrap 0.8.0" && exit
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
`;

export function trySandbox(): void {
  describe('the sandbox', () => {
    test.each([
      ['off', 'workspace-write'],
      ['off', 'read-only'],
      ['allow-list', 'workspace-write'],
    ])('network %s, %s', async (network, sandbox) => {
      const provider = await startChatProvider();
      const directories = provider.createDirectories();
      writeFiles(directories.home, { 'programs/bwrap': SUBSTITUTE });
      chmodSync(join(directories.home, 'programs/bwrap'), 0o755);
      const env = { PATH: `${process.env.PATH}:${join(directories.home, 'programs')}` };
      const flags = ['--set', `sandbox=${sandbox}`, '--set', `sandbox.network=${network}`];
      const program = startRpc([...CHAT_MODEL_FLAGS, ...flags], { directories, env });
      provider.add({ calls: [{ name: 'bash', arguments: { command: 'echo "sandbox $PARLEY_SANDBOX"' } }] });
      await promptAndSettle(program, 'Go');
      const ends = program.frames.filter(({ type }) => type === 'tool_execution_end');
      expect(JSON.stringify(ends)).toContain('sandbox 1\\n');
      await closeProgram(program);
    });
  });
}
