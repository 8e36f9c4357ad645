// Control characters in the output of a command.
import { expect, test } from 'vitest';
import { startRpc } from '../support/program.ts';

test('U+0085 and U+009B in command output are escaped in the frame', async () => {
  const program = startRpc(['--no-session']);
  const { data } = await program.call({ type: 'bash', command: "printf 'a\\302\\205b\\302\\23331mc\\n'" });
  expect(data).toMatchObject({ output: 'a\u0085b\u009b31mc\n' });
  program.stdin.end();
  const { stdout } = await program.exited;
  expect(stdout).toContain('a\\u0085b\\u009b31mc');
  expect(stdout).not.toMatch(/[\u0080-\u009f]/);
});
