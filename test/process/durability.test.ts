import { expect, test } from 'vitest';
import { createDirectories, startRpc } from '../support/program.ts';
import { listSessionFiles, readEntries } from '../support/session-files.ts';

test('an acknowledged prompt is on disk, also after SIGKILL', async () => {
  const directories = createDirectories();
  const acknowledged: string[] = [];
  for (let batch = 0; batch < 10; batch++) {
    await Promise.all(
      [1, 2, 3].map(async (n) => {
        const program = startRpc([], { directories });
        program.send({ id: 'p', type: 'prompt', message: `remember ${batch}-${n}` });
        // Kill synchronously when the line is read, without awaiting in between.
        await program.nextFrame((frame) => {
          if (frame.id === 'p') program.kill('SIGKILL');
          return frame.id === 'p';
        });
        await program.exited;
        acknowledged.push(`remember ${batch}-${n}`);
      }),
    );
  }
  const files = listSessionFiles(directories.home);
  expect(files).toHaveLength(30);
  const texts = files.map((file) => JSON.stringify(readEntries(file)));
  expect(acknowledged.filter((text) => !texts.some((log) => log.includes(text)))).toEqual([]);
});

test('a message with a message_end is on disk', async () => {
  const program = startRpc();
  program.send({ type: 'prompt', message: 'say `an answer to keep`' });
  await program.nextFrame((frame) => {
    const ended = frame.type === 'message_end' && JSON.stringify(frame).includes('"assistant"');
    if (ended) program.kill('SIGKILL');
    return ended;
  });
  await program.exited;
  const [file] = listSessionFiles(program.home);
  expect(JSON.stringify(readEntries(file!))).toContain('"text":"an answer to keep"');
});

test('eight programs run in parallel in one directory', async () => {
  const directories = createDirectories();
  const programs = Array.from({ length: 8 }, (_, n) => {
    const program = startRpc([], { directories });
    program.send({ id: 'p', type: 'prompt', message: `run \`echo number ${n}\`` });
    program.stdin.end();
    return program;
  });
  for (const [n, program] of programs.entries()) {
    expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.stringify(program.frames.at(-4))).toContain(`number ${n}`);
    expect(program.frames.at(-3)).toEqual({ type: 'agent_settled', aborted: false });
    expect(program.frames.slice(-2).map(({ type }) => type)).toEqual(['prompt_result', 'session_settled']);
  }
  const files = listSessionFiles(directories.home);
  expect(files).toHaveLength(8);
  for (const file of files) expect(readEntries(file).length).toBeGreaterThan(4);
});
