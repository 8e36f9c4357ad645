// Verification with real commands: timeouts, long outputs and saved files.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { type AttemptOptions, runVerificationAttempt } from '../../../src/core/subagent/verification-attempt.ts';
import type { VerificationCommand } from '../../../src/core/subagent/verification-plan.ts';
import { verifyWithRepair } from '../../../src/core/subagent/verify-with-repair.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { createRunShell } from '../../../src/tools/shell.ts';
import { isAlive, parseNumbers } from '../../support/processes.ts';
import { withTriggeredTimeout } from '../../support/triggered-timeout.ts';
import { waitUntil } from '../../support/wait-until.ts';

let directory: string;
let events: AgentEvent[];
const ports = createSystemPorts({ env: { ...process.env, ANTHROPIC_API_KEY: 'canary-key' } });

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-verify-'));
  events = [];
});
afterEach(() => rmSync(directory, { recursive: true }));

function createOptions(
  commands: readonly Partial<VerificationCommand>[],
  signal = new AbortController().signal,
): AttemptOptions {
  const completeCommands = commands.map((command, index) => ({
    name: `c${index}`,
    command: 'true',
    timeoutMs: undefined,
    optional: false,
    ...command,
  }));
  return {
    plan: { profile: undefined, commands: completeCommands, onFailure: 'return_failure', maxRetries: 1 },
    id: 'Fix',
    cwd: directory,
    folder: directory,
    signal,
    budgetAccount: undefined,
    emit(event) {
      events.push(event);
      return undefined;
    },
    ports,
    runShell: createRunShell({ ports, shellPath: undefined }),
  };
}

test('a timeout ends the command and all its child processes', async () => {
  const background = join(directory, 'background');
  const command = `echo started; sleep 600 & echo $! > ${background}; sleep 600`;
  const portsWithTimeout = withTriggeredTimeout(
    ports,
    300,
    () => existsSync(background) && readFileSync(background, 'utf8') !== '',
  );
  const plan = createOptions([{ command, timeoutMs: 300 }, { name: 'next' }]);
  const runShell = createRunShell({ ports: portsWithTimeout, shellPath: undefined });
  const { attempt } = await runVerificationAttempt({ ...plan, ports: portsWithTimeout, runShell }, 1);
  expect(attempt).toMatchObject({
    status: 'failed',
    error: 'One or more verification commands failed.',
    commandResults: [
      { exitCode: 124, timedOut: true, outputPreview: 'started' },
      { name: 'next', exitCode: 0, timedOut: false },
    ],
  });
  const [childPid] = parseNumbers(readFileSync(background, 'utf8'));
  await waitUntil(() => !isAlive(childPid!));
});

test('the full output is saved in a private file; the preview is its end', async () => {
  const command = 'for i in $(seq 5000); do echo "line $i 0123456789"; done; echo oops >&2; exit 2';
  const { attempt, failures } = await runVerificationAttempt(createOptions([{ name: 'Unit Tests (all)', command }]), 2);
  const [result] = attempt.commandResults;
  expect(result?.artifactPath).toBe(join(directory, 'Fix.verify.a2-1-unit-tests-all.log'));
  const savedOutput = readFileSync(result?.artifactPath ?? '', 'utf8');
  expect(savedOutput.split('\n').length).toBeGreaterThanOrEqual(5001);
  expect(statSync(result?.artifactPath ?? '').mode & 0o077).toBe(0);
  expect(result?.outputPreview?.split('\n')).toHaveLength(20);
  expect(result?.outputPreview?.endsWith('oops')).toBe(true);
  expect(failures[0]?.output).toContain('line 4000 ');
  expect(events.at(-1)).toMatchObject({ type: 'subagent_verification_command_end', artifactId: result?.artifactPath });
});

test('the preview of one long line has 4000 characters', async () => {
  const { attempt } = await runVerificationAttempt(
    createOptions([{ command: 'head -c 9000 /dev/zero | tr "\\0" x' }]),
    1,
  );
  expect(attempt.commandResults[0]?.outputPreview).toBe('x'.repeat(4000));
});

test('a command without output has no file; a name without letters gets a default file name', async () => {
  const { attempt } = await runVerificationAttempt(createOptions([{ name: '!' }, { name: '?', command: 'echo x' }]), 1);
  expect(attempt.commandResults[0]).not.toHaveProperty('artifactPath');
  expect(attempt.commandResults[1]?.artifactPath).toBe(join(directory, 'Fix.verify.a1-2-check.log'));
});

test('provider keys are not in the environment of the commands', async () => {
  const { attempt } = await runVerificationAttempt(createOptions([{ command: 'env' }]), 1);
  expect(readFileSync(attempt.commandResults[0]?.artifactPath ?? '', 'utf8')).not.toContain('canary-key');
});

test('an abort stops the attempt and the remaining commands do not run', async () => {
  const controller = new AbortController();
  const running = runVerificationAttempt(
    createOptions([{ command: `touch ${directory}/started; sleep 20` }, {}], controller.signal),
    1,
  );
  while (!existsSync(join(directory, 'started'))) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  const { attempt, stoppedBy } = await running;
  expect([attempt.status, stoppedBy, attempt.commandResults.length]).toEqual(['skipped', 'abort', 1]);
});

test('the repair prompt has the last lines of each failed command, up to the limit', async () => {
  const repairPrompts: string[] = [];
  const base = createOptions([
    { name: 'tests', command: 'seq 50; false' },
    { name: 'fine', command: 'seq 50' },
    { name: 'maybe', command: 'echo optional; false', optional: true },
    { name: 'mute', command: 'false' },
  ]);
  const { result, error } = await verifyWithRepair({
    ...base,
    plan: { ...base.plan, onFailure: 'retry_once' },
    contextLines: 3,
    reportBudgetExceeded: async () => {},
    async repair(prompt) {
      repairPrompts.push(prompt);
      return undefined;
    },
  });
  expect(repairPrompts).toHaveLength(1);
  expect(repairPrompts[0]).toContain('### tests: `seq 50; false`\n\n48\n49\n50\n\n### mute: `false`\n\n(no output)');
  expect(repairPrompts[0]).not.toContain('optional');
  expect([result.status, result.retriesUsed, result.attempts.length, error]).toEqual([
    'failed',
    1,
    2,
    'Verification failed: tests, mute',
  ]);
});
