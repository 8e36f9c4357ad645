import { expect, test } from 'vitest';
import { newPlace, startRpc } from '../support/program.ts';
import { entriesOf, sessionFiles } from '../support/session-files.ts';

test('an acknowledged prompt is on disk, also after SIGKILL', async () => {
  const place = newPlace();
  const acknowledged: string[] = [];
  for (let batch = 0; batch < 10; batch++) {
    await Promise.all(
      [1, 2, 3].map(async (n) => {
        const program = startRpc([], { place });
        program.send({ id: 'p', type: 'prompt', message: `remember ${batch}-${n}` });
        // Kill synchronously when the line is read, without awaiting in between.
        await program.frame((frame) => {
          if (frame.id === 'p') program.kill('SIGKILL');
          return frame.id === 'p';
        });
        await program.ended;
        acknowledged.push(`remember ${batch}-${n}`);
      }),
    );
  }
  const files = sessionFiles(place.home);
  expect(files).toHaveLength(30);
  const texts = files.map((file) => JSON.stringify(entriesOf(file)));
  expect(acknowledged.filter((text) => !texts.some((log) => log.includes(text)))).toEqual([]);
});

test('a message with a message_end is on disk', async () => {
  const program = startRpc();
  program.send({ type: 'prompt', message: 'say `an answer to keep`' });
  await program.frame((frame) => {
    const ended = frame.type === 'message_end' && JSON.stringify(frame).includes('"assistant"');
    if (ended) program.kill('SIGKILL');
    return ended;
  });
  await program.ended;
  const [file] = sessionFiles(program.home);
  expect(JSON.stringify(entriesOf(file!))).toContain('"text":"an answer to keep"');
});

test('eight programs run in parallel in one directory', async () => {
  const place = newPlace();
  const programs = Array.from({ length: 8 }, (_, n) => {
    const program = startRpc([], { place });
    program.send({ id: 'p', type: 'prompt', message: `run \`echo number ${n}\`` });
    program.stdin.end();
    return program;
  });
  for (const [n, program] of programs.entries()) {
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.stringify(program.frames.at(-2))).toContain(`number ${n}`);
    expect(program.frames.at(-1)).toEqual({ type: 'agent_settled', aborted: false });
  }
  const files = sessionFiles(place.home);
  expect(files).toHaveLength(8);
  for (const file of files) expect(entriesOf(file).length).toBeGreaterThan(4);
});
