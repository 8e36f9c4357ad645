// Kills the program during a run. The resumed session reports the interrupted run, and continue_run continues it with a strict provider.
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { KEY, startAnthropicMessages } from '../llm/servers/anthropic-messages.ts';
import { findOnlySession } from '../support/crashes.ts';
import type { FrameMatcher } from '../support/frame-collector.ts';
import { createDirectories, type Program, type ProgramDirectories, startRpc } from '../support/program.ts';
import { readRoles } from '../support/session-files.ts';

const NOTHING = 'Nothing to continue: the last run has ended. Send a prompt.';

async function killAt(program: Program, matcher: FrameMatcher): Promise<void> {
  await program.nextFrame(matcher);
  program.kill('SIGKILL');
  expect(await program.exited).toMatchObject({ signal: 'SIGKILL' });
}

/** Continues, waits for the end of the run, and ends the program in an orderly way. */
async function continueRun(program: Program): Promise<readonly unknown[]> {
  expect(await program.call({ type: 'get_state' })).toMatchObject({
    data: { isInterrupted: true, isStreaming: false },
  });
  const { id, ...reply } = await program.call({ type: 'continue_run' });
  expect(reply).toEqual({
    ...{ type: 'response', command: 'continue_run', success: true },
    data: { disposition: 'started' },
  });
  const outcome = await program.nextFrame({ type: 'prompt_result' });
  expect(outcome).toMatchObject({ id, agentInvoked: true, status: 'completed' });
  const state = await program.call({ type: 'get_state' });
  expect(state.data).not.toHaveProperty('isInterrupted');
  expect(await program.call({ type: 'continue_run' })).toMatchObject({ success: false, error: NOTHING });
  program.stdin.end();
  expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
  return program.frames.flatMap(({ type, message }) => (type === 'message_end' ? [message] : []));
}

test('the offline model continues after a kill during a command', async () => {
  const directories = createDirectories();
  const program = startRpc([], { directories });
  program.send({ type: 'prompt', message: 'run `sleep 1000`, then say `finished`' });
  await killAt(program, { type: 'tool_execution_start' });
  expect(readRoles(directories.home)).toEqual(['user', 'assistant']);
  const messages = await continueRun(startRpc(['--continue'], { directories }));
  expect(messages).toMatchObject([
    { role: 'toolResult', isError: true, content: [{ text: expect.stringMatching(/^Interrupted: /) }] },
    { role: 'assistant', stopReason: 'stop' },
  ]);
  expect(JSON.stringify(messages)).toContain('finished');
  expect(readRoles(directories.home)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
  const again = startRpc(['--continue'], { directories });
  expect((await again.call({ type: 'get_state' })).data).not.toHaveProperty('isInterrupted');
});

test('an orderly end of the program aborts the run: nothing is interrupted', async () => {
  const directories = createDirectories();
  const program = startRpc([], { directories });
  program.send({ type: 'prompt', message: 'run `sleep 1000`' });
  await program.nextFrame({ type: 'tool_execution_start' });
  program.kill('SIGTERM');
  await program.exited;
  const again = startRpc(['--continue'], { directories });
  expect((await again.call({ type: 'get_state' })).data).not.toHaveProperty('isInterrupted');
  expect(await again.call({ type: 'continue_run' })).toMatchObject({ success: false, error: NOTHING });
});

const toolCall = (call: string, command: string) => ({ call, name: 'bash', input: { command }, pieces: 3 });
const firstAnswer = {
  answer: { parts: [{ thinking: ['Two ', 'commands.'] }, toolCall('a', 'echo one'), toolCall('b', 'sleep 1000')] },
};

/** Where the program is killed, and the roles that are in the log then. */
const kills: [string, FrameMatcher, string[]][] = [
  ['when the prompt is acknowledged', { type: 'response', id: 'q' }, ['user']],
  ['while the answer is streamed', { type: 'message_update' }, ['user']],
  [
    'during the second of two commands',
    (frame) => frame.type === 'tool_execution_start' && (frame.args as { command: string }).command === 'sleep 1000',
    ['user', 'assistant', 'toolResult'],
  ],
];

test.each(kills)(
  'a kill %s: the continued run has a valid history and delivers the queued message once',
  async (_, at, roles) => {
    const server = await startAnthropicMessages();
    onTestFinished(() => server.close());
    const directories = createDirectories();
    const start = (...args: string[]) => startWithServer(server.url, directories, args);
    // The answer is not complete when its first update arrives.
    server.reply(roles.length === 1 ? { ...firstAnswer, upTo: 4, after: 'stall' } : firstAnswer);
    const program = start();
    program.send({ type: 'prompt', message: 'run two commands' });
    program.send({ id: 'q', type: 'follow_up', message: 'the queued message' });
    await killAt(program, at);
    expect(readRoles(directories.home)).toEqual(roles);
    const before = server.received.length;
    server.reply({ answer: { parts: [{ text: 'Continued.' }] } }, { answer: { parts: [{ text: 'And that.' }] } });
    const messages = await continueRun(start('--continue'));
    expect(server.received.length - before).toBe(2);
    const missing = roles.length === 3 ? [{ role: 'toolResult', toolCallId: 'b', isError: true }] : [];
    expect(messages).toMatchObject([
      ...missing,
      { role: 'assistant', stopReason: 'stop' },
      { role: 'user', content: [{ text: 'the queued message' }] },
      { role: 'assistant', stopReason: 'stop' },
    ]);
    const log = readFileSync(findOnlySession(directories), 'utf8');
    expect(log.match(/"queueId"/g)).toHaveLength(1);
  },
);

function startWithServer(url: string, directories: ProgramDirectories, args: readonly string[]): Program {
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url };
  return startRpc(['--model', 'anthropic/claude-sonnet-4-5', '--thinking', 'low', ...args], { directories, env });
}
