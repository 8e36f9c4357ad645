// Verifies a task's work; after a failure it runs at most one repair and a second attempt.
import type { VerificationResult } from '../../protocol/index.ts';
import {
  type AttemptOptions,
  type AttemptOutcome,
  runVerificationAttempt,
  takeLastLines,
} from './verification-attempt.ts';
import { createUnverifiedResult } from './verification-plan.ts';

export interface VerificationOutcome {
  readonly result: VerificationResult;
  /** The failure message; `undefined` when the verification passed. */
  readonly error: string | undefined;
  /** Whether an abort or the budget ended the verification before it had a result. */
  readonly isInterrupted: boolean;
}

export interface VerificationOptions extends AttemptOptions {
  /** How many lines of each failed command's output the repair prompt includes. */
  readonly contextLines: number;
  /** Runs the subagent again with this prompt. `undefined` when the repair completed. */
  repair(repairPrompt: string): Promise<{ error: string } | undefined>;
  /** Called when the budget prevents a repair from starting. */
  reportBudgetExceeded(): Promise<void>;
}

export async function verifyWithRepair(options: VerificationOptions): Promise<VerificationOutcome> {
  const { plan, budgetAccount } = options;
  const first = await runAttempt(options, 1);
  const shouldRepair = first.attempt.status === 'failed' && plan.onFailure === 'retry_once' && plan.maxRetries > 0;
  const budgetViolation = shouldRepair && !first.stoppedBy ? budgetAccount?.exceededLimit : undefined;
  await emitAttemptEnd(options, 1, budgetViolation ? 'budget_exceeded' : getAttemptStatus(first));
  if (!shouldRepair || first.stoppedBy) return createOutcome(options, [first], 0);
  if (budgetViolation) {
    await options.reportBudgetExceeded();
    return { ...createOutcome(options, [first], 0), error: `Budget exceeded (${budgetViolation}); repair skipped` };
  }
  const repairFailure = await options.repair(createRepairPrompt(first, options.contextLines));
  if (repairFailure) {
    if (budgetAccount?.stoppingLimit) await emitStoppedRepair(options);
    const failed = createOutcome(options, [first], 1);
    const isInterrupted = options.signal.aborted || budgetAccount?.stoppingLimit !== undefined;
    return { ...failed, error: `${failed.error}; repair failed: ${repairFailure.error}`, isInterrupted };
  }
  const second = await runAttempt(options, 2);
  await emitAttemptEnd(options, 2, getAttemptStatus(second));
  return createOutcome(options, [first, second], 1);
}

/** Emits an end event for every started attempt, also when it throws. */
async function runAttempt(options: VerificationOptions, attempt: number): Promise<AttemptOutcome> {
  try {
    return await runVerificationAttempt(options, attempt);
  } catch (thrown) {
    await emitAttemptEnd(options, attempt, 'failed');
    throw thrown;
  }
}

/** Emits the events of the second attempt, which the budget prevented from starting. */
async function emitStoppedRepair(options: VerificationOptions): Promise<void> {
  const { profile } = options.plan;
  const { id } = options;
  await options.emit({
    type: 'subagent_verification_start',
    id,
    attempt: 2,
    ...(profile === undefined ? {} : { profile }),
  });
  await emitAttemptEnd(options, 2, 'budget_exceeded');
}

type AttemptStatus = 'passed' | 'failed' | 'skipped' | 'budget_exceeded';

function getAttemptStatus({ attempt, stoppedBy }: AttemptOutcome): AttemptStatus {
  return stoppedBy && stoppedBy !== 'abort' ? 'budget_exceeded' : attempt.status;
}

async function emitAttemptEnd({ emit, id }: AttemptOptions, attempt: number, status: AttemptStatus): Promise<void> {
  await emit({ type: 'subagent_verification_end', id, attempt, status });
}

function createOutcome(
  options: VerificationOptions,
  attempts: readonly AttemptOutcome[],
  retriesUsed: number,
): VerificationOutcome {
  const last = attempts.at(-1) as AttemptOutcome;
  const passed = last.attempt.status === 'passed';
  return {
    result: {
      ...createUnverifiedResult(options.plan, 'failed'),
      status: passed ? 'passed' : last.attempt.status,
      attempts: attempts.map(({ attempt }) => attempt),
      retriesUsed,
    },
    error: passed ? undefined : describeFailure(last),
    isInterrupted: last.stoppedBy !== undefined,
  };
}

function describeFailure({ failures, stoppedBy, attempt }: AttemptOutcome): string {
  if (stoppedBy) return attempt.error ?? 'Cancelled';
  return `Verification failed: ${failures.map(({ name }) => name).join(', ')}`;
}

function createRepairPrompt({ failures }: AttemptOutcome, maxLines: number): string {
  const reports = failures.map(
    ({ name, command, output }) => `### ${name}: \`${command}\`\n\n${takeLastLines(output, maxLines) || '(no output)'}`,
  );
  return `Verification failed. Fix the work in the same directory so that these commands succeed:\n\n${reports.join('\n\n')}`;
}
