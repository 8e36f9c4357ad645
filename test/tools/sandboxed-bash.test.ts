// The bash tool in a session with a sandbox.
import { toJsonSchema } from '@valibot/to-json-schema';
import { expect, test } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import type { ProcessSandbox, SandboxedCommand } from '../../src/contracts/index.ts';
import { bash, sandboxedBash } from '../../src/tools/bash.ts';
import { createRunShell } from '../../src/tools/shell.ts';
import { createToolFixture, expectFault, getText, ports } from './tool-fixture.ts';

/** Marks the environment. Counts what is open. */
function createSandbox() {
  const state = { opened: 0, released: 0 };
  const sandbox: ProcessSandbox = {
    description: 'workspace-write, network off',
    async wrap(request): Promise<SandboxedCommand> {
      state.opened += 1;
      return {
        ...request,
        env: { ...request.env, INSIDE: 'yes' },
        async release() {
          state.released += 1;
        },
        explainFailure: ({ output }) => (output.includes('secret') ? 'The sandbox hid it.' : undefined),
      };
    },
  };
  return { sandbox, state, getSandbox: async () => sandbox };
}

test('only the tool for the sandbox has escalate, and every use of it is asked about', () => {
  expect(toJsonSchema(bash.params)).not.toHaveProperty('properties.escalate');
  expect(toJsonSchema(sandboxedBash.params)).toHaveProperty('properties.escalate');
  expect(sandboxedBash.isEscalated?.({ command: 'x', escalate: true })).toBe(true);
  expect(sandboxedBash.isEscalated?.({ command: 'x', escalate: false })).toBe(false);
  expect(sandboxedBash.isEscalated?.({ command: 'x' })).toBe(false);
});

test('a command runs inside, and outside with escalate', async () => {
  const { getSandbox, state } = createSandbox();
  const run = async (escalate?: boolean) =>
    getText(await sandboxedBash.run({ command: 'echo "in $INSIDE"', escalate }, createToolFixture({ getSandbox })));
  expect(await run()).toBe('in yes\n');
  expect(state).toEqual({ opened: 1, released: 1 });
  expect(await run(true)).toBe('in \n');
  expect(state.opened).toBe(1);
});

test('the terminal of a host is not used, except outside', async () => {
  const { getSandbox } = createSandbox();
  const started: string[] = [];
  const createTerminalRunner =
    () =>
    async ({ command }: { command: string }) => {
      started.push(command);
      return { exitCode: 0 };
    };
  const hostServices = { createTerminalRunner };
  await sandboxedBash.run({ command: 'true' }, createToolFixture({ getSandbox, hostServices }));
  expect(started).toEqual([]);
  await sandboxedBash.run({ command: 'true', escalate: true }, createToolFixture({ getSandbox, hostServices }));
  expect(started).toEqual(['true']);
});

test('a shell runner of an extension is refused and not called', async () => {
  const { getSandbox } = createSandbox();
  let isCalled = false;
  const execute = async () => {
    isCalled = true;
    return { exitCode: 0 };
  };
  const { cwd, signal, artifacts } = createToolFixture();
  const run = createRunShell({ ports, shellPath: undefined, getSandbox });
  await expect(run({ command: 'true', cwd, signal, artifacts, artifactName: 'bash', execute })).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('an extension replaces the shell runner'),
  });
  expect(isCalled).toBe(false);
});

test('a failure is explained, with the way out only where the model has it', async () => {
  const { getSandbox } = createSandbox();
  const command = 'echo secret; exit 3';
  const offered = await expectFault(sandboxedBash, { command }, createToolFixture({ getSandbox }));
  expect(offered.message).toBe(
    'secret\n\n\nCommand exited with code 3\n\nThe sandbox hid it. Call again with escalate: true to ask the user to run it outside.',
  );
  const plain = await expectFault(bash, { command }, createToolFixture({ getSandbox }));
  expect(plain.message).toMatch(/The sandbox hid it\.$/);
  const other = await expectFault(sandboxedBash, { command: 'exit 3' }, createToolFixture({ getSandbox }));
  expect(other.message).toBe('(no output)\n\nCommand exited with code 3');
});

test('a refused sandbox runs nothing', async () => {
  const fixture = createToolFixture({
    getSandbox: async () => ({
      description: 'x',
      wrap: () => Promise.reject(new Fault('refused', 'The command was not run')),
    }),
  });
  const fault = await expectFault(sandboxedBash, { command: 'touch made' }, fixture);
  expect(fault.code).toBe('refused');
  expect(await fixture.ports.files.list(fixture.cwd)).toEqual([]);
});
