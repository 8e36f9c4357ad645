// Where the sandbox is not available or forbids something, commands are not run, and the message has the reason and the remedy.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startHttpServer } from '../support/http-server.ts';
import { startScriptedProvider } from '../support/scripted-provider.ts';
import { createMachine, type Machine, startHost, startSandboxed } from './sandboxed-program.ts';

/** Commands that start the program where bubblewrap is missing, or must not create namespaces. */
const MACHINES = {
  missing: ['bwrap', '--dev-bind', '/', '/', '--bind', '/dev/null', '/usr/bin/bwrap'],
  'not permitted': ['bwrap', '--dev-bind', '/', '/', '--unshare-user', '--disable-userns', '--proc', '/proc'],
} as const;
const REASONS = {
  missing: /bubblewrap \(bwrap\) is not installed.*apt-get install bubblewrap.*--sandbox off/s,
  'not permitted': /bwrap failed: .*(user namespace|--sandbox off)/s,
} as const;

describe.each(['missing', 'not permitted'] as const)('bubblewrap is %s', (state) => {
  const prefix = MACHINES[state];

  test('commands of the host and the model are refused', async () => {
    const machine = createMachine();
    const { run, program } = startHost(machine, ['--model', 'parley/offline'], { prefix });
    await expect(run('touch ran')).rejects.toThrow(REASONS[state]);
    program.send({ type: 'prompt', message: 'run `touch ran`' });
    const { result, isError } = await program.nextFrame({ type: 'tool_execution_end' });
    expect([isError, JSON.stringify(result)]).toEqual([true, expect.stringMatching(REASONS[state])]);
    expect(existsSync(join(machine.cwd, 'ran'))).toBe(false);
  });

  test('doctor reports it', async () => {
    const machine = createMachine();
    mkdirSync(join(machine.home, '.parley'), { mode: 0o700 });
    writeFileSync(join(machine.home, '.parley/settings.json'), '{"sandbox":"workspace-write"}', { mode: 0o600 });
    const { code, stdout } = await startSandboxed(machine, ['doctor'], { prefix }).exited;
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^ERROR\s+sandbox\s+workspace-write, but commands are refused: /m),
    ]);
    expect(stdout).toMatch(REASONS[state]);
  });
});

describe('the network', () => {
  async function startCanary() {
    const arrived: string[] = [];
    const { url } = await startHttpServer((request, response) => {
      arrived.push(String(request.url));
      response.end('from the canary\n');
    });
    return { arrived, port: new URL(url).port };
  }
  /** Loopback addresses are not proxied by default, because servers inside the sandbox use them. */
  const curl = (port: string, path: string) => `curl -sS -m 20 --noproxy '' http://localhost:${port}/${path}`;

  test('allow-list: only the listed port is reached', async () => {
    const [allowed, other] = [await startCanary(), await startCanary()];
    const args = ['--set', 'sandbox.network=allow-list', '--set', `sandbox.allowedHosts=["localhost:${allowed.port}"]`];
    const { run } = startHost(createMachine(), args);
    expect(await run(curl(allowed.port, 'a'))).toEqual(
      expect.objectContaining({ exitCode: 0, output: 'from the canary\n' }),
    );
    expect((await run(curl(other.port, 'b'))).output).toContain('not in sandbox.allowedHosts');
    await run(`curl -m 5 --noproxy '*' http://127.0.0.1:${allowed.port}/c; echo x > /dev/tcp/127.0.0.1/${other.port}`);
    expect([allowed.arrived, other.arrived]).toEqual([['/a'], []]);
  });

  test.each([
    ['off', []],
    ['on', ['/a']],
  ])('%s', async (network, expected) => {
    const { arrived, port } = await startCanary();
    const { run } = startHost(createMachine(), ['--set', `sandbox.network=${network}`]);
    await run(curl(port, 'a'));
    expect(arrived).toEqual(expected);
  });
});

describe('escalate', () => {
  async function startEscalation(machine: Machine) {
    const call = {
      name: 'bash',
      arguments: JSON.stringify({ command: 'echo "$PARLEY_SANDBOX" > ../ran', escalate: true }),
    };
    const provider = await startScriptedProvider([{ calls: [call] }, { text: 'done' }]);
    return { flags: provider.flags, env: { PARLEY_DIR: provider.directories.home }, ran: join(machine.home, 'ran') };
  }

  test('without a host the call is denied', async () => {
    const machine = createMachine();
    const { flags, env, ran } = await startEscalation(machine);
    const program = startSandboxed(machine, ['--sandbox', 'workspace-write', ...flags, '-p', 'go'], { env });
    program.stdin.end();
    await program.exited;
    expect(existsSync(ran)).toBe(false);
  });

  test.each([
    ['allow', true],
    ['deny', false],
  ])('a host answers %s', async (value, hasRun) => {
    const machine = createMachine();
    const { flags, env, ran } = await startEscalation(machine);
    const { program } = startHost(machine, flags, { env });
    program.send({ type: 'prompt', message: 'go' });
    const { id } = await program.nextFrame({ type: 'extension_ui_request', method: 'select' });
    program.send({ type: 'extension_ui_response', id, value });
    await program.nextFrame({ type: 'agent_settled' });
    expect(existsSync(ran)).toBe(hasRun);
  });
});
