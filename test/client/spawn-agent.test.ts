// Tests with the agent as a child process: the real program, and small programs that misbehave.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { type AgentExitedError, type SpawnedAgent, type SpawnOptions, spawnAgent } from '../../src/client/index.ts';
import { isAlive } from '../support/processes.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Killed after the test. */
async function startAgent(options: SpawnOptions): Promise<SpawnedAgent> {
  const agent = await spawnAgent(options);
  onTestFinished(async () => {
    agent.kill('SIGKILL');
    await agent.closed;
  });
  return agent;
}

function startParley(options: SpawnOptions = {}): Promise<SpawnedAgent> {
  const home = createTemporaryDirectory();
  const env = { HOME: home, PARLEY_DIR: home, ...options.env };
  return startAgent({ cliPath: inject('program'), args: ['--no-session'], cwd: home, ...options, env });
}

/** Starts a program of a few lines. In it, `calls(act)` registers a handler for calls and `reply(frame)` replies to one. */
function startScript(text: string, options: SpawnOptions = {}): Promise<SpawnedAgent> {
  const cliPath = join(createTemporaryDirectory(), 'agent.mjs');
  const opening = `
    import { createInterface } from 'node:readline';
    const say = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n');
    const reply = ({ id, type }, data) => say({ type: 'response', id, command: type, success: true, data });
    const calls = (act) => createInterface({ input: process.stdin }).on('line', (line) => act(JSON.parse(line)));
  `;
  writeFileSync(cliPath, opening + text);
  return startAgent({ cliPath, ...options });
}

/** Returns the exceptions and rejections that are not caught while `act` runs. */
async function collectUncaught(act: () => Promise<void>): Promise<unknown[]> {
  const uncaught: unknown[] = [];
  const addUncaught = (thrown: unknown) => uncaught.push(thrown);
  process.on('uncaughtExceptionMonitor', addUncaught);
  process.on('unhandledRejection', addUncaught);
  await act();
  // Unhandled rejections are reported at the end of a turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('uncaughtExceptionMonitor', addUncaught);
  process.off('unhandledRejection', addUncaught);
  return uncaught;
}

describe('a command line', () => {
  test('is run by a shell, and output that is no frame is passed on', async () => {
    const home = createTemporaryDirectory();
    const command = `echo "a greeting"; echo "a warning" >&2; "$NODE" "$PROGRAM" --mode rpc --no-session`;
    const errors: string[] = [];
    const agent = await startAgent({
      command,
      env: { HOME: home, PARLEY_DIR: home, NODE: process.execPath, PROGRAM: inject('program') },
      onStderr: (text) => errors.push(text),
    });
    const unhandled: unknown[] = [];
    agent.onUnhandled((frame) => unhandled.push(frame));
    expect(await agent.promptAndWait('Say hello')).toHaveLength(2);
    expect(unhandled).toEqual(['a greeting']);
    expect(errors.join('')).toBe('a warning\n');
    expect(await agent.close()).toMatchObject({ code: 0 });
  });

  test('that fails rejects the first call with its stderr', async () => {
    const agent = await startAgent({ command: 'echo "no such host" >&2; exit 255' });
    await expect(agent.call('get_state')).rejects.toMatchObject({ exitCode: 255, stderr: 'no such host\n' });
  });
});

describe('the program', () => {
  test('starts, answers a prompt, and exits on close', async () => {
    const agent = await startParley();
    const types: string[] = [];
    agent.onEvent((event) => types.push(event.type));
    expect(await agent.ready()).toMatchObject({ dialect: 'omp', protocolVersion: 1 });
    const messages = await agent.promptAndWait('Hello');
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant']);
    expect(types).toEqual(expect.arrayContaining(['agent_start', 'message_update', 'agent_end', 'agent_settled']));
    expect(await agent.commands.bash({ command: 'echo $PARLEY_TEST; exit 3' })).toMatchObject({ exitCode: 3 });
    await expect(agent.callUndeclared('fly')).rejects.toThrow('Unknown command: fly');
    expect(isAlive(agent.pid)).toBe(true);
    expect(await agent.close()).toEqual({ code: 0, signal: null, stderr: '' });
    expect(isAlive(agent.pid)).toBe(false);
  });

  test('replies to a hundred calls that were made before it was ready', async () => {
    const agent = await startParley();
    const calls = Array.from({ length: 100 }, (_, i) => agent.call('bash', { command: `printf ${i}` }).catch(String));
    const states = Array.from({ length: 100 }, () => agent.call('get_state'));
    expect((await Promise.all(states)).every((state) => state.isStreaming === false)).toBe(true);
    const outputs = (await Promise.all(calls)).map((result) => (typeof result === 'string' ? result : result.output));
    expect(outputs).toEqual(calls.map((_, i) => String(i)));
  });

  test('when killed with a hundred pending calls, all fail immediately and no exception is uncaught', async () => {
    const home = createTemporaryDirectory();
    writeFileSync(join(home, 'settings.json'), '{"rpc":{"stream":"loud"}}');
    const agent = await startParley({ env: { PARLEY_DIR: home } });
    await agent.call('get_state');
    // A stopped process sends no replies, so all calls are pending.
    process.kill(agent.pid, 'SIGSTOP');
    const uncaught = await collectUncaught(async () => {
      const calls = Array.from({ length: 99 }, () => agent.call('get_state'));
      let failed = 0;
      const pending = [...calls, agent.promptAndWait('Hello')];
      for (const each of pending) each.catch(() => failed++);
      const failures = Promise.allSettled(pending);
      agent.kill('SIGKILL');
      await agent.closed;
      // In the turn in which the exit is known: no call waits for a timeout.
      await new Promise((resolve) => setImmediate(resolve));
      expect(failed).toBe(100);
      const outcomes = await failures;
      for (const outcome of outcomes) {
        const { reason } = outcome as { reason: AgentExitedError };
        expect(reason).toMatchObject({ name: 'AgentExitedError', signal: 'SIGKILL', exitCode: null });
        expect(reason.stderr).toContain('rpc.stream must be');
      }
      await expect(agent.call('get_state')).rejects.toThrow('The agent was killed by SIGKILL');
      agent.send({ type: 'get_state' });
      expect(await agent.close()).toMatchObject({ signal: 'SIGKILL' });
    });
    expect(uncaught).toEqual([]);
  });

  test('exits for invalid arguments, and the call fails with its error message', async () => {
    const agent = await startParley({ args: ['--dialect', 'klingon'] });
    await expect(agent.call('get_state')).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('Unknown dialect: klingon'),
    });
  });
});

describe('start failures', () => {
  test('a missing runtime', async () => {
    const start = spawnAgent({ cliPath: 'x.js', runtime: '/nowhere/node' });
    await expect(start).rejects.toMatchObject({ name: 'Fault', code: 'config' });
    await expect(start).rejects.toThrow(/^Cannot start \/nowhere\/node: /);
  });

  test('a missing directory', async () => {
    await expect(startParley({ cwd: '/nowhere' })).rejects.toThrow(`Cannot start ${process.execPath} in /nowhere: `);
  });

  test('a missing program; the default is the program of this package', async () => {
    const agent = await startAgent({});
    const defaultPath = join(import.meta.dirname, '../../cli.js');
    await expect(agent.call('get_state')).rejects.toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(defaultPath),
    });
  });
});

describe('process options', () => {
  test('arguments, directory and environment are passed on', async () => {
    const cwd = createTemporaryDirectory();
    process.env.PARLEY_TEST_GONE = 'still here';
    onTestFinished(() => void delete process.env.PARLEY_TEST_GONE);
    const agent = await startScript(
      `calls((call) => reply(call, { args: process.argv.slice(2), cwd: process.cwd(), env: process.env }));`,
      { args: ['--x', 'y z'], cwd, env: { PARLEY_TEST: 'set', PARLEY_TEST_GONE: undefined } },
    );
    const reported = (await agent.callUndeclared('tell')) as {
      args: string[];
      cwd: string;
      env: Record<string, string>;
    };
    expect(reported).toMatchObject({ args: ['--mode', 'rpc', '--x', 'y z'], cwd });
    expect(reported.env).toMatchObject({ PARLEY_TEST: 'set', PATH: process.env.PATH });
    expect(reported.env).not.toHaveProperty('PARLEY_TEST_GONE');
  });

  test('stderr is passed on with whole characters, and its end is kept', async () => {
    let stderrText = '';
    const agent = await startScript(
      `calls((call) => {
        if (call.type === 'half') process.stderr.write(Buffer.from([0xc3]), () => reply(call));
        else process.stderr.write(Buffer.concat([Buffer.from([0xa9]), Buffer.alloc(150_000, 'x'), Buffer.from('last')]), () => process.exit(4));
      });`,
      { onStderr: (text) => (stderrText += text) },
    );
    await agent.callUndeclared('half');
    await expect(agent.callUndeclared('rest')).rejects.toMatchObject({
      exitCode: 4,
      stderr: `${'x'.repeat(8188)}last`,
    });
    expect(stderrText).toBe(`é${'x'.repeat(150_000)}last`);
  });
});

describe('agents that misbehave', () => {
  test('an agent that closes its stdin: writing to it throws nothing', async () => {
    const agent = await startScript(`
      process.stdin.on('data', () => {}).once('data', () => process.stdin.destroy()).on('close', () => say({ type: 'stdin_closed' }));
      setInterval(() => {}, 1000);`);
    const uncaught = await collectUncaught(async () => {
      const stdinClosed = new Promise((resolve) => agent.onUnhandled(resolve));
      const calls = [agent.call('abort')];
      expect(await stdinClosed).toEqual({ type: 'stdin_closed' });
      for (let i = 0; i < 10; i++) calls.push(agent.call('set_session_name', { name: 'x'.repeat(100_000) }));
      const failures = Promise.allSettled(calls);
      agent.kill('SIGKILL');
      expect((await failures).every(({ status }) => status === 'rejected')).toBe(true);
    });
    expect(uncaught).toEqual([]);
  });

  test('an agent that dies while its host is busy: its last output is read first', async () => {
    const agent = await startScript(`
      calls((call) => {
        if (call.type === 'up') return reply(call);
        process.stderr.write('last error');
        reply(call, 'x'.repeat(100_000));
        process.exit(7);
      });`);
    await agent.callUndeclared('up');
    const [answered, unanswered] = [agent.callUndeclared('go'), agent.callUndeclared('again')];
    void unanswered.catch(() => {});
    // Blocks this process until the other one is dead.
    while (isAlive(agent.pid));
    expect(await answered).toHaveLength(100_000);
    await expect(unanswered).rejects.toMatchObject({ exitCode: 7, stderr: 'last error' });
  });

  test('an agent that leaves a child process with open pipes', async () => {
    const agent = await startScript(`
      import { spawn } from 'node:child_process';
      calls((call) => {
        if (call.type !== 'one') return;
        const { pid } = spawn('sleep', ['600'], { stdio: 'inherit', detached: true });
        process.stderr.write('last error');
        reply(call, { pid, text: 'x'.repeat(300_000) });
        process.stdout.write('half a li', () => process.exit(5));
      });`);
    const [first, second] = [agent.callUndeclared('one'), agent.callUndeclared('two')];
    const others: unknown[] = [];
    agent.onUnhandled((frame) => others.push(frame));
    void second.catch(() => {});
    const { pid, text } = (await first) as { pid: number; text: string };
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    expect(text).toHaveLength(300_000);
    await expect(second).rejects.toMatchObject({ exitCode: 5, stderr: 'last error' });
    expect(isAlive(pid)).toBe(true);
    expect(others).toEqual(['half a li']);
  });

  test('an agent that writes faster than its host reads is paused, and no output is lost', async () => {
    const agent = await startScript(`
      let n = 0;
      const more = () => {
        while (n < 500) {
          n++;
          if (!say({ type: 'notice', level: 'info', message: n + 'x'.repeat(20_000) })) break;
        }
        if (n < 500) process.stdout.once('drain', more);
        else say({ type: 'agent_settled', aborted: false });
      };
      calls((call) => call.type === 'abort' ? (reply(call), more()) : reply(call, n));`);
    const reader = agent.events();
    let taken = 0;
    agent.onEvent(() => taken++);
    await agent.call('abort');
    await waitUntil(() => taken * 20_000 > 1_000_000);
    // The agent is paused by back-pressure. A call reads only what was written before its reply.
    expect(await agent.callUndeclared('count')).toBeLessThan(400);
    const received: number[] = [];
    for await (const event of reader) {
      if (event.type === 'notice') received.push(Number.parseInt(event.message, 10));
      if (event.type === 'agent_settled') break;
    }
    expect(received).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
  });

  test('an agent that dies while its host is slow: all of its output is read', async () => {
    // Slightly more than is read for an idle reader, so that the rest is in the pipe when the agent dies.
    const agent = await startScript(`
      for (let i = 0; i < 56; i++) say({ type: 'notice', level: 'info', message: i + 'x'.repeat(20_000) });
      process.stdout.write('', () => process.exit(6));`);
    const reader = agent.events();
    let taken = 0;
    agent.onEvent(() => taken++);
    expect(await agent.closed).toMatchObject({ code: 6 });
    expect(taken).toBeLessThan(56);
    const read: number[] = [];
    const reading = (async () => {
      for await (const event of reader) if (event.type === 'notice') read.push(Number.parseInt(event.message, 10));
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AgentExitedError', exitCode: 6 });
    expect(read).toEqual(Array.from({ length: 56 }, (_, i) => i));
  });
});
