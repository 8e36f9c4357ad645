// A bash command of the host is recorded in the session in which it ran, also when it is ended by a switch or a signal.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Program, startRpc } from '../support/program.ts';
import { listSessionFiles, readEntries } from '../support/session-files.ts';
import { waitUntil } from '../support/wait-until.ts';

const COMMAND = 'echo begun; touch begun; sleep 1000';

async function startCommand(): Promise<{ program: Program; file: string }> {
  const program = startRpc();
  const { data } = await program.call({ type: 'get_state' });
  program.send({ id: 'b', type: 'bash', command: COMMAND });
  await waitUntil(() => existsSync(join(program.cwd, 'begun')));
  return { program, file: String((data as { sessionFile: string }).sessionFile) };
}

const recordsIn = (file: string) =>
  readEntries(file).flatMap(({ message }) =>
    (message as { role?: string })?.role === 'bashExecution' ? [message] : [],
  );
const record = expect.objectContaining({ command: COMMAND, output: 'begun\n', cancelled: true });

describe('a host command is recorded when it is ended by', () => {
  test('new_session', async () => {
    const { program, file } = await startCommand();
    expect(await program.call({ type: 'new_session' })).toMatchObject({ success: true, data: { cancelled: false } });
    expect(program.frames).toContainEqual(expect.objectContaining({ id: 'b', success: true }));
    expect(recordsIn(file)).toEqual([record]);
    expect(await program.call({ type: 'get_state' })).toMatchObject({ data: { messageCount: 0 } });
    expect(listSessionFiles(program.home)).toEqual([file]);
  });

  test('switch_session', async () => {
    const { program, file } = await startCommand();
    const other = startRpc([], { directories: { home: program.home, cwd: program.cwd } });
    await other.call({ type: 'bash', command: 'true' });
    const { data } = await other.call({ type: 'get_state' });
    other.stdin.end();
    await other.exited;
    const { sessionFile } = data as { sessionFile: string };
    expect(await program.call({ type: 'switch_session', sessionPath: sessionFile })).toMatchObject({ success: true });
    expect(recordsIn(file)).toEqual([record]);
    expect(recordsIn(sessionFile)).toEqual([expect.objectContaining({ command: 'true' })]);
  });

  test('SIGTERM', async () => {
    const { program, file } = await startCommand();
    program.kill('SIGTERM');
    expect(await program.exited).toMatchObject({ code: 143 });
    expect(recordsIn(file)).toEqual([record]);
  });
});
