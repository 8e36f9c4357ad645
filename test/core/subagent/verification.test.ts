// The commands that work must pass, run for real: time limits, long outputs, what is kept of them.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { verify } from '../../../src/core/subagent/verification.ts';
import { type Checking, checkOnce } from '../../../src/core/subagent/verify-attempt.ts';
import type { VerificationCommand } from '../../../src/core/subagent/verify-plan.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { createRunShell } from '../../../src/tools/shell.ts';
import { isAlive, numbers } from '../../support/processes.ts';
import { withLimit } from '../../support/time-limit.ts';
import { until } from '../../support/until.ts';

let directory: string;
let events: AgentEvent[];
const ports = createSystemPorts({ env: { ...process.env, ANTHROPIC_API_KEY: 'canary-key' } });

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-verify-'));
  events = [];
});
afterEach(() => rmSync(directory, { recursive: true }));

function checking(commands: readonly Partial<VerificationCommand>[], signal = new AbortController().signal): Checking {
  const whole = commands.map((command, index) => ({
    name: `c${index}`,
    command: 'true',
    timeoutMs: undefined,
    optional: false,
    ...command,
  }));
  return {
    plan: { profile: undefined, commands: whole, onFailure: 'return_failure', maxRetries: 1 },
    id: 'Fix',
    cwd: directory,
    folder: directory,
    signal,
    purse: undefined,
    emit(event) {
      events.push(event);
      return undefined;
    },
    ports,
    runShell: createRunShell({ ports, shellPath: undefined }),
  };
}

test('a time limit ends the command with everything it started', async () => {
  const background = join(directory, 'background');
  const command = `echo begun; sleep 600 & echo $! > ${background}; sleep 600`;
  const limited = withLimit(ports, 300, () => existsSync(background) && readFileSync(background, 'utf8') !== '');
  const plan = checking([{ command, timeoutMs: 300 }, { name: 'next' }]);
  const runShell = createRunShell({ ports: limited, shellPath: undefined });
  const { attempt } = await checkOnce({ ...plan, ports: limited, runShell }, 1);
  expect(attempt).toMatchObject({
    status: 'failed',
    error: 'One or more verification commands failed.',
    commandResults: [
      { exitCode: 124, timedOut: true, outputPreview: 'begun' },
      { name: 'next', exitCode: 0, timedOut: false },
    ],
  });
  const [left] = numbers(readFileSync(background, 'utf8'));
  await until(() => !isAlive(left!));
});

test('the whole output is kept, private; the preview is its end', async () => {
  const command = 'for i in $(seq 5000); do echo "line $i 0123456789"; done; echo oops >&2; exit 2';
  const { attempt, failures } = await checkOnce(checking([{ name: 'Unit Tests (all)', command }]), 2);
  const [result] = attempt.commandResults;
  expect(result?.artifactPath).toBe(join(directory, 'Fix.verify.a2-1-unit-tests-all.log'));
  const kept = readFileSync(result?.artifactPath ?? '', 'utf8');
  expect(kept.split('\n').length).toBeGreaterThanOrEqual(5001);
  expect(statSync(result?.artifactPath ?? '').mode & 0o077).toBe(0);
  expect(result?.outputPreview?.split('\n')).toHaveLength(20);
  expect(result?.outputPreview?.endsWith('oops')).toBe(true);
  expect(failures[0]?.output).toContain('line 4000 ');
  expect(events.at(-1)).toMatchObject({ type: 'subagent_verification_command_end', artifactId: result?.artifactPath });
});

test('one long line is cut at 4000 characters', async () => {
  const { attempt } = await checkOnce(checking([{ command: 'head -c 9000 /dev/zero | tr "\\0" x' }]), 1);
  expect(attempt.commandResults[0]?.outputPreview).toBe('x'.repeat(4000));
});

test('silence leaves no file; a name without letters has one all the same', async () => {
  const { attempt } = await checkOnce(checking([{ name: '!' }, { name: '?', command: 'echo x' }]), 1);
  expect(attempt.commandResults[0]).not.toHaveProperty('artifactPath');
  expect(attempt.commandResults[1]?.artifactPath).toBe(join(directory, 'Fix.verify.a1-2-check.log'));
});

test('the keys of providers are not there', async () => {
  const { attempt } = await checkOnce(checking([{ command: 'env' }]), 1);
  expect(readFileSync(attempt.commandResults[0]?.artifactPath ?? '', 'utf8')).not.toContain('canary-key');
});

test('an abort ends it: what has not run is not run', async () => {
  const controller = new AbortController();
  const running = checkOnce(checking([{ command: `touch ${directory}/begun; sleep 20` }, {}], controller.signal), 1);
  while (!existsSync(join(directory, 'begun'))) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  const { attempt, stoppedBy } = await running;
  expect([attempt.status, stoppedBy, attempt.commandResults.length]).toEqual(['skipped', 'abort', 1]);
});

test('whoever repairs reads the last lines of each failed command, as many as the limit says', async () => {
  const remarks: string[] = [];
  const base = checking([
    { name: 'tests', command: 'seq 50; false' },
    { name: 'fine', command: 'seq 50' },
    { name: 'maybe', command: 'echo optional; false', optional: true },
    { name: 'mute', command: 'false' },
  ]);
  const { result, error } = await verify({
    ...base,
    plan: { ...base.plan, onFailure: 'retry_once' },
    contextLines: 3,
    refused: async () => {},
    async repair(remark) {
      remarks.push(remark);
      return undefined;
    },
  });
  expect(remarks).toHaveLength(1);
  expect(remarks[0]).toContain('### tests: `seq 50; false`\n\n48\n49\n50\n\n### mute: `false`\n\n(no output)');
  expect(remarks[0]).not.toContain('optional');
  expect([result.status, result.retriesUsed, result.attempts.length, error]).toEqual([
    'failed',
    1,
    2,
    'Verification failed: tests, mute',
  ]);
});
