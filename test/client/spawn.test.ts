// An agent as a child process: the real program, and small ones that misbehave on purpose.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { type AgentGone, type SpawnedAgent, type SpawnOptions, spawnAgent } from '../../src/client/index.ts';
import { isAlive } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { until } from '../support/until.ts';

/** Ended with the test, whatever has become of it. */
async function spawned(options: SpawnOptions): Promise<SpawnedAgent> {
  const agent = await spawnAgent(options);
  onTestFinished(async () => {
    agent.kill('SIGKILL');
    await agent.closed;
  });
  return agent;
}

function parley(options: SpawnOptions = {}): Promise<SpawnedAgent> {
  const home = temporaryDirectory();
  const env = { HOME: home, PARLEY_DIR: home, ...options.env };
  return spawned({ cliPath: inject('program'), args: ['--no-session'], cwd: home, ...options, env });
}

/** A program of a few lines. `reply(frame)` answers a call of the client; `calls(act)` hands over each one. */
function script(text: string, options: SpawnOptions = {}): Promise<SpawnedAgent> {
  const cliPath = join(temporaryDirectory(), 'agent.mjs');
  const opening = `
    import { createInterface } from 'node:readline';
    const say = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n');
    const reply = ({ id, type }, data) => say({ type: 'response', id, command: type, success: true, data });
    const calls = (act) => createInterface({ input: process.stdin }).on('line', (line) => act(JSON.parse(line)));
  `;
  writeFileSync(cliPath, opening + text);
  return spawned({ cliPath, ...options });
}

/** What nobody catches while `act` runs. */
async function uncaughtDuring(act: () => Promise<void>): Promise<unknown[]> {
  const uncaught: unknown[] = [];
  const note = (thrown: unknown) => uncaught.push(thrown);
  process.on('uncaughtExceptionMonitor', note);
  process.on('unhandledRejection', note);
  await act();
  // Rejections without a handler are told at the end of a turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('uncaughtExceptionMonitor', note);
  process.off('unhandledRejection', note);
  return uncaught;
}

describe('the program', () => {
  test('is started, holds a conversation, and goes when it is told to', async () => {
    const agent = await parley();
    const types: string[] = [];
    agent.on((event) => types.push(event.type));
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

  test('answers a hundred calls that were made before it was up', async () => {
    const agent = await parley();
    const calls = Array.from({ length: 100 }, (_, i) => agent.call('bash', { command: `printf ${i}` }).catch(String));
    const states = Array.from({ length: 100 }, () => agent.call('get_state'));
    expect((await Promise.all(states)).every((state) => state.isStreaming === false)).toBe(true);
    const outputs = (await Promise.all(calls)).map((result) => (typeof result === 'string' ? result : result.output));
    expect(outputs).toEqual(calls.map((_, i) => String(i)));
  });

  test('killed with a hundred calls pending: all fail at once, and nothing goes uncaught', async () => {
    const home = temporaryDirectory();
    writeFileSync(join(home, 'settings.json'), '{"rpc":{"stream":"loud"}}');
    const agent = await parley({ env: { PARLEY_DIR: home } });
    await agent.call('get_state');
    // Stopped, it answers nothing, so all of them are pending.
    process.kill(agent.pid, 'SIGSTOP');
    const uncaught = await uncaughtDuring(async () => {
      const calls = Array.from({ length: 99 }, () => agent.call('get_state'));
      let failed = 0;
      const pending = [...calls, agent.promptAndWait('Hello')];
      for (const each of pending) each.catch(() => failed++);
      const failures = Promise.allSettled(pending);
      agent.kill('SIGKILL');
      await agent.closed;
      // In the turn in which the end is known: none has a patience of its own.
      await new Promise((resolve) => setImmediate(resolve));
      expect(failed).toBe(100);
      const outcomes = await failures;
      for (const outcome of outcomes) {
        const { reason } = outcome as { reason: AgentGone };
        expect(reason).toMatchObject({ name: 'AgentGone', signal: 'SIGKILL', exitCode: null });
        expect(reason.stderr).toContain('rpc.stream must be');
      }
      await expect(agent.call('get_state')).rejects.toThrow('The agent was killed by SIGKILL');
      agent.send({ type: 'get_state' });
      expect(await agent.close()).toMatchObject({ signal: 'SIGKILL' });
    });
    expect(uncaught).toEqual([]);
  });

  test('refuses its arguments: the call fails with its sentence', async () => {
    const agent = await parley({ args: ['--dialect', 'klingon'] });
    await expect(agent.call('get_state')).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('Unknown dialect: klingon'),
    });
  });
});

describe('what cannot be started', () => {
  test('a runtime that is not there', async () => {
    const start = spawnAgent({ cliPath: 'x.js', runtime: '/nowhere/node' });
    await expect(start).rejects.toMatchObject({ name: 'Fault', code: 'config' });
    await expect(start).rejects.toThrow(/^Cannot start \/nowhere\/node: /);
  });

  test('a directory that is not there', async () => {
    await expect(parley({ cwd: '/nowhere' })).rejects.toThrow(`Cannot start ${process.execPath} in /nowhere: `);
  });

  test('a program that is not there; by default it is the package’s own', async () => {
    const agent = await spawned({});
    const own = join(import.meta.dirname, '../../cli.js');
    await expect(agent.call('get_state')).rejects.toMatchObject({ exitCode: 1, stderr: expect.stringContaining(own) });
  });
});

describe('surroundings', () => {
  test('arguments, directory and environment', async () => {
    const cwd = temporaryDirectory();
    process.env.PARLEY_TEST_GONE = 'still here';
    onTestFinished(() => void delete process.env.PARLEY_TEST_GONE);
    const agent = await script(
      `calls((call) => reply(call, { args: process.argv.slice(2), cwd: process.cwd(), env: process.env }));`,
      { args: ['--x', 'y z'], cwd, env: { PARLEY_TEST: 'set', PARLEY_TEST_GONE: undefined } },
    );
    const told = (await agent.callUndeclared('tell')) as { args: string[]; cwd: string; env: Record<string, string> };
    expect(told).toMatchObject({ args: ['--mode', 'rpc', '--x', 'y z'], cwd });
    expect(told.env).toMatchObject({ PARLEY_TEST: 'set', PATH: process.env.PATH });
    expect(told.env).not.toHaveProperty('PARLEY_TEST_GONE');
  });

  test('stderr is heard as it comes, characters whole, and its end is kept', async () => {
    let heard = '';
    const agent = await script(
      `calls((call) => {
        if (call.type === 'half') process.stderr.write(Buffer.from([0xc3]), () => reply(call));
        else process.stderr.write(Buffer.concat([Buffer.from([0xa9]), Buffer.alloc(150_000, 'x'), Buffer.from('last')]), () => process.exit(4));
      });`,
      { onStderr: (text) => (heard += text) },
    );
    await agent.callUndeclared('half');
    await expect(agent.callUndeclared('rest')).rejects.toMatchObject({
      exitCode: 4,
      stderr: `${'x'.repeat(8188)}last`,
    });
    expect(heard).toBe(`é${'x'.repeat(150_000)}last`);
  });
});

describe('agents that misbehave', () => {
  test('one that no longer reads: writing to it hurts nobody', async () => {
    const agent = await script(`
      process.stdin.on('data', () => {}).once('data', () => process.stdin.destroy()).on('close', () => say({ type: 'deaf' }));
      setInterval(() => {}, 1000);`);
    const uncaught = await uncaughtDuring(async () => {
      const deaf = new Promise((resolve) => agent.onOther(resolve));
      const calls = [agent.call('abort')];
      expect(await deaf).toEqual({ type: 'deaf' });
      for (let i = 0; i < 10; i++) calls.push(agent.call('set_session_name', { name: 'x'.repeat(100_000) }));
      const failures = Promise.allSettled(calls);
      agent.kill('SIGKILL');
      expect((await failures).every(({ status }) => status === 'rejected')).toBe(true);
    });
    expect(uncaught).toEqual([]);
  });

  test('one that dies while its host is busy: its last words are read first', async () => {
    const agent = await script(`
      calls((call) => {
        if (call.type === 'up') return reply(call);
        process.stderr.write('farewell');
        reply(call, 'x'.repeat(100_000));
        process.exit(7);
      });`);
    await agent.callUndeclared('up');
    const [answered, unanswered] = [agent.callUndeclared('go'), agent.callUndeclared('again')];
    void unanswered.catch(() => {});
    // Nothing else happens in this process until the other one is dead.
    while (isAlive(agent.pid));
    expect(await answered).toHaveLength(100_000);
    await expect(unanswered).rejects.toMatchObject({ exitCode: 7, stderr: 'farewell' });
  });

  test('one that leaves a process behind which holds its pipes', async () => {
    const agent = await script(`
      import { spawn } from 'node:child_process';
      calls((call) => {
        if (call.type !== 'one') return;
        const { pid } = spawn('sleep', ['600'], { stdio: 'inherit', detached: true });
        process.stderr.write('farewell');
        reply(call, { pid, text: 'x'.repeat(300_000) });
        process.stdout.write('half a li', () => process.exit(5));
      });`);
    const [first, second] = [agent.callUndeclared('one'), agent.callUndeclared('two')];
    const others: unknown[] = [];
    agent.onOther((frame) => others.push(frame));
    void second.catch(() => {});
    const { pid, text } = (await first) as { pid: number; text: string };
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    expect(text).toHaveLength(300_000);
    await expect(second).rejects.toMatchObject({ exitCode: 5, stderr: 'farewell' });
    expect(isAlive(pid)).toBe(true);
    expect(others).toEqual(['half a li']);
  });

  test('one that says more than its host reads is held up, and loses nothing', async () => {
    const agent = await script(`
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
    agent.on(() => taken++);
    await agent.call('abort');
    await until(() => taken * 20_000 > 1_000_000);
    // Far from done: it waits for its host, and a call only fetches what was said before its reply.
    expect(await agent.callUndeclared('count')).toBeLessThan(400);
    const seen: number[] = [];
    for await (const event of reader) {
      if (event.type === 'notice') seen.push(Number.parseInt(event.message, 10));
      if (event.type === 'agent_settled') break;
    }
    expect(seen).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
  });

  test('one that dies while its host is slow: everything it said is still read', async () => {
    // A little more than is fetched for a reader that takes nothing, so that the rest is in the pipe when it dies.
    const agent = await script(`
      for (let i = 0; i < 56; i++) say({ type: 'notice', level: 'info', message: i + 'x'.repeat(20_000) });
      process.stdout.write('', () => process.exit(6));`);
    const reader = agent.events();
    let taken = 0;
    agent.on(() => taken++);
    expect(await agent.closed).toMatchObject({ code: 6 });
    expect(taken).toBeLessThan(56);
    const read: number[] = [];
    const reading = (async () => {
      for await (const event of reader) if (event.type === 'notice') read.push(Number.parseInt(event.message, 10));
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AgentGone', exitCode: 6 });
    expect(read).toEqual(Array.from({ length: 56 }, (_, i) => i));
  });
});
