// Submits a prompt to a worker.
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { createDirectories, startProgram } from '../../support/program.ts';
import { closeProgram, OFFLINE, runProgram, startRpc, withRuntime } from './feature-program.ts';

export function tryWorkers(): void {
  describe('submissions and workers', () => {
    test('a prompt is submitted, run, verified and listed', async () => {
      const { url } = await createTestDatabase();
      const env = { PARLEY_DATABASE_URL: url };
      const directories = createDirectories();
      const args = ['submit', '--no-repository', '--verify', 'true', '--id', 'one', 'say hello'];
      expect(await runProgram(args, '', { env, directories })).toMatchObject({ stdout: 'one\n', stderr: '' });
      const worker = startProgram(['worker', '--queue', 'default', '--json', ...OFFLINE], withRuntime({ env }));
      await worker.nextFrame({ type: 'unreadable' });
      expect(await runProgram([...args, '--wait'], '', { env, directories })).toMatchObject({ stdout: 'hello\n' });
      const { stdout } = await runProgram(['submissions'], '', { env, directories });
      expect(stdout).toContain('succeeded');
      const rpc = startRpc(OFFLINE, { env });
      expect(await rpc.call({ type: 'get_submission', submissionId: 'one' })).toMatchObject({
        data: { submission: { state: 'succeeded' }, result: { verification: { status: 'passed' }, hasPatch: false } },
      });
      await closeProgram(rpc);
      worker.kill('SIGTERM');
      expect(await worker.exited).toMatchObject({ code: 143, stderr: '' });
    });
  });
}
