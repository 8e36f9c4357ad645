// First floor, core: runs the commands of one attempt, one after the other, and keeps what they said. Repairs nothing.
import type { Artifacts, Ports, RunShell } from '../../contracts/index.ts';
import type { BudgetReason, VerificationAttempt, VerificationCommandResult } from '../../protocol/index.ts';
import type { Emit } from '../session/broadcast.ts';
import type { Purse } from '../session/family.ts';
import type { VerificationCommand, VerificationPlan } from './verify-plan.ts';

const PREVIEW_LINES = 20;
const PREVIEW_CHARACTERS = 4000;
/** As `timeout(1)` and `kill(1)` have it. */
const TIMED_OUT = 124;
const INTERRUPTED = 130;

export interface Checking {
  readonly plan: VerificationPlan;
  /** The task's. */
  readonly id: string;
  readonly cwd: string;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly purse: Purse | undefined;
  readonly emit: Emit;
  readonly ports: Ports;
  readonly runShell: RunShell;
}

export interface Checked {
  readonly attempt: VerificationAttempt;
  /** Of those that had to succeed and did not, with everything that is known of their output. */
  readonly failures: readonly { readonly name: string; readonly command: string; readonly output: string }[];
  readonly stoppedBy: BudgetReason | 'abort' | undefined;
}

/** Everything is run also after a failure, so that a repair knows of all of them. Says nothing of its end. */
export async function checkOnce(checking: Checking, number: number): Promise<Checked> {
  const { plan, id, emit, ports, signal, purse } = checking;
  const startedAt = ports.clock.now();
  await emit({
    type: 'subagent_verification_start',
    id,
    attempt: number,
    ...(plan.profile === undefined ? {} : { profile: plan.profile }),
  });
  const commandResults: VerificationCommandResult[] = [];
  const failures: { name: string; command: string; output: string }[] = [];
  const stopped = () => purse?.exhausted ?? (signal.aborted ? ('abort' as const) : undefined);
  for (const [index, command] of plan.commands.entries()) {
    if (stopped()) break;
    const { result, output } = await runCommand(checking, command, number, index + 1);
    commandResults.push(result);
    if (result.exitCode !== 0 && !command.optional) failures.push({ ...command, output });
  }
  const stoppedBy = stopped();
  const error = stoppedBy ? reasonOf(stoppedBy) : failures.length > 0 ? FAILED : undefined;
  return {
    attempt: {
      attempt: number,
      status: error === undefined ? 'passed' : stoppedBy === 'abort' ? 'skipped' : 'failed',
      startedAt,
      endedAt: ports.clock.now(),
      commandResults,
      ...(error === undefined ? {} : { error }),
    },
    failures,
    stoppedBy,
  };
}

const FAILED = 'One or more verification commands failed.';

function reasonOf(stoppedBy: BudgetReason | 'abort'): string {
  return stoppedBy === 'abort' ? 'Cancelled' : `Budget exceeded (${stoppedBy})`;
}

async function runCommand(
  checking: Checking,
  command: VerificationCommand,
  attempt: number,
  position: number,
): Promise<{ result: VerificationCommandResult; output: string }> {
  const { id, emit, ports, folder } = checking;
  const commandName = command.name;
  await emit({ type: 'subagent_verification_command_start', id, attempt, commandName });
  const began = ports.clock.now();
  const path = `${folder}/${id}.verify.a${attempt}-${position}-${slug(commandName)}.log`;
  const { output, exitCode, timedOut, isWhole } = await shell(checking, command, path);
  // What is too long to hold has been written while it came.
  if (output !== '' && isWhole) await ports.files.write(path, new TextEncoder().encode(output), { mode: 0o600 });
  const durationMs = ports.clock.now() - began;
  const kept = output === '' ? {} : { artifactPath: path, outputPreview: preview(output) };
  await emit({
    type: 'subagent_verification_command_end',
    id,
    attempt,
    commandName,
    exitCode,
    durationMs,
    ...(output === '' ? {} : { artifactId: path }),
  });
  const optional = command.optional ? { optional: true } : {};
  return {
    result: { name: commandName, command: command.command, exitCode, durationMs, ...optional, timedOut, ...kept },
    output,
  };
}

interface Said {
  readonly output: string;
  readonly exitCode: number;
  readonly timedOut: boolean;
  readonly isWhole: boolean;
}

async function shell(checking: Checking, command: VerificationCommand, path: string): Promise<Said> {
  const artifacts: Artifacts = { reserve: async () => ({ id: path, path }), find: async () => undefined };
  try {
    const outcome = await checking.runShell({
      command: command.command,
      cwd: checking.cwd,
      signal: checking.signal,
      timeout: command.timeoutMs === undefined ? undefined : command.timeoutMs / 1000,
      artifacts,
      purpose: 'verify',
    });
    const ended = outcome.timedOut ? TIMED_OUT : INTERRUPTED;
    return {
      output: outcome.output.trimEnd(),
      exitCode: outcome.exitCode ?? ended,
      timedOut: outcome.timedOut,
      isWhole: !outcome.truncated,
    };
  } catch (thrown) {
    // A shell that cannot be started has verified nothing.
    const output = thrown instanceof Error ? thrown.message : String(thrown);
    return { output, exitCode: 127, timedOut: false, isWhole: true };
  }
}

function preview(output: string): string {
  return lastLines(output, PREVIEW_LINES).slice(-PREVIEW_CHARACTERS);
}

export function lastLines(text: string, most: number): string {
  return text.split('\n').slice(-most).join('\n');
}

function slug(name: string): string {
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return words.replace(/^-|-$/g, '').slice(0, 60) || 'check';
}
