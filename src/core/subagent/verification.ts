// First floor, core: is the work good enough to be seen? Attempts, and between two of them at most one repair.
import type { VerificationResult } from '../../protocol/index.ts';
import { type Checked, type Checking, checkOnce, lastLines } from './verify-attempt.ts';
import { unverified } from './verify-plan.ts';

export interface Verified {
  readonly result: VerificationResult;
  /** Why the work is not good; `undefined` when it is. */
  readonly error: string | undefined;
  /** An abort or the budget ended it before it had a verdict. */
  readonly isInterrupted: boolean;
}

export interface Repairing extends Checking {
  /** Lines of each failed command's output that whoever repairs is shown. */
  readonly contextLines: number;
  /** Sends the work back with this remark. `undefined` when the repair came to its end. */
  repair(remark: string): Promise<{ error: string } | undefined>;
  /** A repair is not begun because nothing may be spent any more. */
  refused(): Promise<void>;
}

export async function verify(work: Repairing): Promise<Verified> {
  const { plan, purse } = work;
  const first = await check(work, 1);
  const wants = first.attempt.status === 'failed' && plan.onFailure === 'retry_once' && plan.maxRetries > 0;
  const poor = wants && !first.stoppedBy ? purse?.violation : undefined;
  await end(work, 1, poor ? 'budget_exceeded' : statusOf(first));
  if (!wants || first.stoppedBy) return verdict(work, [first], 0);
  if (poor) {
    await work.refused();
    return { ...verdict(work, [first], 0), error: `Budget exceeded (${poor}); repair skipped` };
  }
  const trouble = await work.repair(remarkOn(first, work.contextLines));
  if (trouble) {
    if (purse?.exhausted) await stoppedRepair(work);
    const failed = verdict(work, [first], 1);
    const isInterrupted = work.signal.aborted || purse?.exhausted !== undefined;
    return { ...failed, error: `${failed.error}; repair failed: ${trouble.error}`, isInterrupted };
  }
  const second = await check(work, 2);
  await end(work, 2, statusOf(second));
  return verdict(work, [first, second], 1);
}

/** Every attempt that starts has an end event, also when it breaks. */
async function check(work: Repairing, attempt: number): Promise<Checked> {
  try {
    return await checkOnce(work, attempt);
  } catch (thrown) {
    await end(work, attempt, 'failed');
    throw thrown;
  }
}

/** The second attempt that the budget did not let begin. */
async function stoppedRepair(work: Repairing): Promise<void> {
  const { profile } = work.plan;
  const { id } = work;
  await work.emit({
    type: 'subagent_verification_start',
    id,
    attempt: 2,
    ...(profile === undefined ? {} : { profile }),
  });
  await end(work, 2, 'budget_exceeded');
}

type Status = 'passed' | 'failed' | 'skipped' | 'budget_exceeded';

function statusOf({ attempt, stoppedBy }: Checked): Status {
  return stoppedBy && stoppedBy !== 'abort' ? 'budget_exceeded' : attempt.status;
}

async function end({ emit, id }: Checking, attempt: number, status: Status): Promise<void> {
  await emit({ type: 'subagent_verification_end', id, attempt, status });
}

function verdict(work: Repairing, checked: readonly Checked[], retriesUsed: number): Verified {
  const last = checked.at(-1) as Checked;
  const passed = last.attempt.status === 'passed';
  return {
    result: {
      ...unverified(work.plan, 'failed'),
      status: passed ? 'passed' : last.attempt.status,
      attempts: checked.map(({ attempt }) => attempt),
      retriesUsed,
    },
    error: passed ? undefined : errorOf(last),
    isInterrupted: last.stoppedBy !== undefined,
  };
}

function errorOf({ failures, stoppedBy, attempt }: Checked): string {
  if (stoppedBy) return attempt.error ?? 'Cancelled';
  return `Verification failed: ${failures.map(({ name }) => name).join(', ')}`;
}

function remarkOn({ failures }: Checked, lines: number): string {
  const reports = failures.map(
    ({ name, command, output }) => `### ${name}: \`${command}\`\n\n${lastLines(output, lines) || '(no output)'}`,
  );
  return `The work was checked and did not pass. Mend it in the same directory, so that these commands succeed:\n\n${reports.join('\n\n')}`;
}
