// Runs the commands of one verification attempt in sequence and saves their output.
import type { Artifacts, Emit, Ports, RunShell } from '../../contracts/index.ts';
import type { BudgetReason, VerificationAttempt, VerificationCommandResult } from '../../protocol/index.ts';
import type { BudgetAccount } from '../session/parent-link.ts';
import { describeStopRequest } from './running-subagent.ts';
import type { VerificationCommand, VerificationPlan } from './verification-plan.ts';

const PREVIEW_LINES = 20;
const PREVIEW_CHARACTERS = 4000;
/** Exit code of timeout(1). */
const TIMED_OUT_EXIT_CODE = 124;
/** Exit code of a shell after SIGINT: 128 + 2. */
const INTERRUPTED_EXIT_CODE = 130;

export interface AttemptOptions {
  readonly plan: VerificationPlan;
  /** The id of the task. */
  readonly id: string;
  readonly cwd: string;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly budgetAccount: BudgetAccount | undefined;
  readonly emit: Emit;
  readonly ports: Ports;
  readonly runShell: RunShell;
}

export interface AttemptOutcome {
  readonly attempt: VerificationAttempt;
  /** Required commands that failed, with their output. */
  readonly failures: readonly { readonly name: string; readonly command: string; readonly output: string }[];
  readonly stoppedBy: BudgetReason | 'abort' | undefined;
}

/** Runs the remaining commands also after a failure, so that a repair sees all failures. Does not emit the end event. */
export async function runVerificationAttempt(options: AttemptOptions, number: number): Promise<AttemptOutcome> {
  const { plan, id, emit, ports, signal, budgetAccount } = options;
  const startedAt = ports.clock.now();
  await emit({
    type: 'subagent_verification_start',
    id,
    attempt: number,
    ...(plan.profile === undefined ? {} : { profile: plan.profile }),
  });
  const commandResults: VerificationCommandResult[] = [];
  const failures: { name: string; command: string; output: string }[] = [];
  const getStopReason = () => budgetAccount?.stoppingLimit ?? (signal.aborted ? ('abort' as const) : undefined);
  for (const [index, command] of plan.commands.entries()) {
    if (getStopReason()) break;
    const { result, output } = await runCommand(options, command, number, index + 1);
    commandResults.push(result);
    if (result.exitCode !== 0 && !command.optional) failures.push({ ...command, output });
  }
  const stoppedBy = getStopReason();
  const error = stoppedBy ? describeStop(stoppedBy, signal) : failures.length > 0 ? COMMANDS_FAILED : undefined;
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

const COMMANDS_FAILED = 'One or more verification commands failed.';

function describeStop(stoppedBy: BudgetReason | 'abort', signal: AbortSignal): string {
  return stoppedBy === 'abort' ? (describeStopRequest(signal) ?? 'Cancelled') : `Budget exceeded (${stoppedBy})`;
}

async function runCommand(
  options: AttemptOptions,
  command: VerificationCommand,
  attempt: number,
  position: number,
): Promise<{ result: VerificationCommandResult; output: string }> {
  const { id, emit, ports, folder } = options;
  const commandName = command.name;
  await emit({ type: 'subagent_verification_command_start', id, attempt, commandName });
  const startedAt = ports.clock.now();
  const path = `${folder}/${id}.verify.a${attempt}-${position}-${slugify(commandName)}.log`;
  const { output, exitCode, timedOut, isComplete } = await runShellCommand(options, command, path);
  // A truncated output has already been streamed to the file.
  if (output !== '' && isComplete) await ports.files.write(path, new TextEncoder().encode(output), { mode: 0o600 });
  const durationMs = ports.clock.now() - startedAt;
  const savedOutput = output === '' ? {} : { artifactPath: path, outputPreview: createPreview(output) };
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
    result: {
      name: commandName,
      command: command.command,
      exitCode,
      durationMs,
      ...optional,
      timedOut,
      ...savedOutput,
    },
    output,
  };
}

interface CommandOutput {
  readonly output: string;
  readonly exitCode: number;
  readonly timedOut: boolean;
  readonly isComplete: boolean;
}

async function runShellCommand(
  options: AttemptOptions,
  command: VerificationCommand,
  path: string,
): Promise<CommandOutput> {
  const artifacts: Artifacts = { reserve: async () => ({ id: path, path }), find: async () => undefined };
  try {
    const outcome = await options.runShell({
      command: command.command,
      cwd: options.cwd,
      signal: options.signal,
      timeout: command.timeoutMs === undefined ? undefined : command.timeoutMs / 1000,
      artifacts,
      artifactName: 'verify',
    });
    const fallbackExitCode = outcome.timedOut ? TIMED_OUT_EXIT_CODE : INTERRUPTED_EXIT_CODE;
    return {
      output: outcome.output.trimEnd(),
      exitCode: outcome.exitCode ?? fallbackExitCode,
      timedOut: outcome.timedOut,
      isComplete: !outcome.truncated,
    };
  } catch (thrown) {
    // The shell could not be started.
    const output = thrown instanceof Error ? thrown.message : String(thrown);
    return { output, exitCode: 127, timedOut: false, isComplete: true };
  }
}

function createPreview(output: string): string {
  return takeLastLines(output, PREVIEW_LINES).slice(-PREVIEW_CHARACTERS);
}

export function takeLastLines(text: string, maxLines: number): string {
  return text.split('\n').slice(-maxLines).join('\n');
}

function slugify(name: string): string {
  const hyphenated = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return hyphenated.replace(/^-|-$/g, '').slice(0, 60) || 'check';
}
