// Queued messages: during a compaction, after a run that fails or is aborted, and at the end of input.
import { describe, expect, test } from 'vitest';
import { createDeferred } from '../../src/base/index.ts';
import { type Program, runProgram, startRpc } from '../support/program.ts';
import { startScriptedProvider } from '../support/scripted-provider.ts';

const LONG = 'a question that is long enough to be summarised '.repeat(20);

describe('a prompt sent at agent_end while a threshold compaction follows', () => {
  test('is queued and then runs; isStreaming is false in between', async () => {
    const summary = createDeferred();
    const { directories, flags, prompts } = await startScriptedProvider(
      [
        { text: LONG },
        { text: LONG, input: 190_000 },
        { text: 'the summary', after: summary.promise },
        { text: 'Third answer.' },
      ],
      { contextWindow: 200_000 },
    );
    const program = startRpc([...flags, '--set', 'compaction.keepRecentTokens=300'], { directories });
    program.send({ type: 'prompt', message: LONG });
    await program.nextFrame({ type: 'agent_settled' });
    program.send({ type: 'prompt', message: LONG });
    await program.nextFrame({ type: 'agent_end', willRetry: false });
    program.send({ id: 'p', type: 'prompt', message: 'third' });
    await program.nextFrame({ type: 'auto_compaction_start' });
    const { data } = await program.call({ type: 'get_state' });
    expect(data).toMatchObject({ isStreaming: false, isCompacting: true });
    summary.resolve();
    expect(await program.nextFrame({ type: 'response', id: 'p' })).toMatchObject({ success: true });
    await program.nextFrame({ type: 'agent_settled' });
    expect(await program.call({ type: 'get_last_assistant_text' })).toMatchObject({ data: { text: 'Third answer.' } });
    expect(prompts).toHaveLength(4);
  });
});

const userTextsIn = (program: Program) =>
  program.frames.flatMap(({ type, message }) => {
    const { role, content } = (message ?? {}) as { role?: string; content?: { text: string }[] };
    return type === 'message_end' && role === 'user' ? [content?.[0]?.text] : [];
  });

describe('a queued prompt', () => {
  test('runs after a failed run, also at the end of input', async () => {
    const failing = createDeferred();
    const { directories, flags, prompts } = await startScriptedProvider([
      { status: 400, after: failing.promise },
      { text: 'Two.' },
    ]);
    const program = startRpc(flags, { directories });
    program.send({ id: '1', type: 'prompt', message: 'first' });
    await program.nextFrame({ type: 'turn_start' });
    program.send({ id: '2', type: 'prompt', message: 'second', streamingBehavior: 'followUp' });
    await program.nextFrame({ id: '2', success: true });
    program.stdin.end();
    failing.resolve();
    expect(await program.exited).toMatchObject({ code: 0 });
    expect(prompts).toEqual(['first', 'second']);
    expect(program.frames.filter(({ success }) => success === false)).toEqual([]);
    const ends = program.frames.filter(({ type }) => type === 'prompt_result').map(({ id, status }) => [id, status]);
    expect(ends).toEqual([
      ['1', 'error'],
      ['2', 'completed'],
    ]);
    expect(program.frames.at(-1)).toEqual({ type: 'session_settled' });
  });

  test('runs after an error in the opal dialect, before a third prompt', async () => {
    const failing = createDeferred();
    const answers = [{ status: 400, after: failing.promise }, { text: 'Two.' }, { text: 'Three.' }];
    const { directories, flags, prompts } = await startScriptedProvider(answers);
    const program = startRpc(['--dialect', 'opal', ...flags], { directories });
    const call = (id: number, method: string, params: object) => program.send({ jsonrpc: '2.0', id, method, params });
    call(1, 'session/start', {});
    const { result } = await program.nextFrame({ id: 1 });
    const { session_id } = result as { session_id: string };
    call(2, 'agent/prompt', { session_id, text: 'first' });
    await program.nextFrame({ id: 2 });
    call(3, 'agent/prompt', { session_id, text: 'second' });
    expect(await program.nextFrame({ id: 3 })).toMatchObject({ result: { queued: true } });
    failing.resolve();
    const event = (type: string) => program.nextFrame((frame) => (frame.params as { type?: string })?.type === type);
    await event('error');
    call(4, 'agent/prompt', { session_id, text: 'third' });
    await event('agent_end');
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0 });
    expect(prompts).toEqual(['first', 'second', 'third']);
  });

  test('waits after an abort, is reported as not run at exit, and runs before the next prompt in the next process', async () => {
    const never = new Promise<void>(() => {});
    const answers = [{ text: '', after: never }, { text: 'Two.' }, { text: 'Three.' }];
    const { directories, flags, prompts } = await startScriptedProvider(answers);
    const program = startRpc(flags, { directories });
    program.send({ id: '1', type: 'prompt', message: 'first' });
    await program.nextFrame({ type: 'turn_start' });
    program.send({ id: '2', type: 'prompt', message: 'second', streamingBehavior: 'followUp' });
    await program.nextFrame({ id: '2', success: true });
    await program.call({ type: 'abort' });
    program.stdin.end();
    expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
    expect(program.frames.at(-1)).toMatchObject({ id: '2', type: 'prompt_result', status: 'error' });
    expect(program.frames.at(-2)).toEqual({
      id: '2',
      type: 'response',
      command: 'prompt',
      success: false,
      error: expect.stringMatching(
        /^The message "second" was not run: the program is exiting\. It stays queued in .*jsonl/,
      ),
    });
    const next = startRpc([...flags, '--continue'], { directories });
    expect(await next.call({ type: 'get_state' })).toMatchObject({ data: { queuedMessageCount: 1 } });
    next.send({ id: '3', type: 'prompt', message: 'third' });
    await next.nextFrame({ type: 'agent_settled' });
    next.stdin.end();
    await next.exited;
    expect(userTextsIn(next)).toEqual(['second', 'third']);
    expect(prompts).toEqual(['first', 'second', 'third']);
    expect(next.frames.filter(({ type }) => type === 'notice')).toEqual([]);
  });

  test('of an earlier process is reported if the input ends before a prompt', async () => {
    const { directories, flags } = await startScriptedProvider([{ text: 'One.' }]);
    const program = startRpc(flags, { directories });
    program.send({ id: '1', type: 'prompt', message: 'first' });
    await program.nextFrame({ type: 'agent_settled' });
    await program.call({ type: 'follow_up', message: 'later' });
    program.kill('SIGKILL');
    await program.exited;
    const next = startRpc([...flags, '--continue'], { directories });
    await next.call({ type: 'get_state' });
    next.stdin.end();
    expect(await next.exited).toMatchObject({ code: 0 });
    expect(next.frames.at(-1)).toMatchObject({
      type: 'notice',
      level: 'error',
      source: 'queue',
      message: expect.stringContaining('The message "later" was not run'),
    });
  });

  test('that was edited, moved or removed is so in the next process, after a kill', async () => {
    const answers = [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }, { text: 'Four.' }];
    const { directories, flags, prompts } = await startScriptedProvider(answers);
    const program = startRpc(flags, { directories });
    program.send({ id: '1', type: 'prompt', message: 'first' });
    await program.nextFrame({ type: 'agent_settled' });
    for (const message of ['second', 'third', 'fourth']) await program.call({ type: 'follow_up', message });
    const { data } = await program.call({ type: 'get_queue' });
    const [second, third, fourth] = (data as { items: { id: string }[] }).items.map(({ id }) => id);
    await program.call({ type: 'edit_queued_message', messageId: third, message: 'third, edited' });
    await program.call({ type: 'remove_queued_message', messageId: second });
    await program.call({ type: 'move_queued_message', messageId: fourth, index: 0 });
    program.kill('SIGKILL');
    await program.exited;
    const next = startRpc([...flags, '--continue'], { directories });
    expect(await next.call({ type: 'get_queue' })).toMatchObject({
      data: {
        items: [
          { id: fourth, text: 'fourth' },
          { id: third, text: 'third, edited' },
        ],
      },
    });
    next.send({ id: '2', type: 'prompt', message: 'fifth' });
    await next.nextFrame({ type: 'session_settled' });
    expect(prompts).toEqual(['first', 'fourth', 'third, edited', 'fifth']);
    expect(await next.call({ type: 'remove_queued_message', messageId: third })).toMatchObject({
      success: false,
      code: 'already_taken',
    });
    next.stdin.end();
    await next.exited;
  });

  test('of an earlier process runs before the message of print mode, and the answer to the latter is printed', async () => {
    const { directories, flags, prompts } = await startScriptedProvider([
      { text: 'One.' },
      { text: 'Two.' },
      { text: 'Three.' },
    ]);
    const program = startRpc(flags, { directories });
    program.send({ id: '1', type: 'prompt', message: 'first' });
    await program.nextFrame({ type: 'agent_settled' });
    await program.call({ type: 'follow_up', message: 'second' });
    program.stdin.end();
    await program.exited;
    const printed = await runProgram([...flags, '--continue', '--max-turns', '1', 'third'], '', { directories });
    expect(printed).toMatchObject({ code: 0, stdout: 'Three.\n', stderr: '' });
    expect(prompts).toEqual(['first', 'second', 'third']);
  });

  test('is reported when a signal ends the program', async () => {
    const never = new Promise<void>(() => {});
    const { directories, flags } = await startScriptedProvider([{ text: '', after: never }]);
    const program = startRpc(flags, { directories });
    program.send({ id: '1', type: 'prompt', message: 'first' });
    await program.nextFrame({ type: 'turn_start' });
    program.send({ id: '2', type: 'follow_up', message: 'second' });
    await program.nextFrame({ id: '2', success: true });
    program.kill('SIGTERM');
    await program.exited;
    expect(program.frames).toContainEqual(expect.objectContaining({ id: '2', success: false }));
  });
});

test('in print mode a message that is not run because of the budget is reported on stderr', async () => {
  const { directories, flags } = await startScriptedProvider([{ text: 'One.' }, { text: 'Two.' }]);
  const program = startRpc(flags, { directories });
  program.send({ id: '1', type: 'prompt', message: 'first' });
  await program.nextFrame({ type: 'agent_settled' });
  await program.call({ type: 'follow_up', message: 'second' });
  program.stdin.end();
  await program.exited;
  const budget = ['--set', 'task.budget.maxOutputTokens=1'];
  const { code, stderr } = await runProgram([...flags, ...budget, '--continue', 'third'], '', { directories });
  expect(code).toBe(1);
  expect(stderr).toContain('Session budget exceeded (output_tokens)');
  expect(stderr).toContain('The message "third" was not run: Session budget exceeded (output_tokens).');
});
