// Runs the commands that a task must pass, in its workspace.
import { dirname } from 'node:path';
import type { AgentSession, Ports, RunShell } from '../../../contracts/index.ts';
import type { VerificationPlan } from '../../../core/subagent/verification-plan.ts';
import { type VerificationOutcome, verifyWithRepair } from '../../../core/subagent/verify-with-repair.ts';
import type { SubmissionRequest } from '../../../protocol/submission.ts';

export interface VerifyOptions {
  readonly session: AgentSession;
  readonly request: SubmissionRequest;
  readonly ports: Ports;
  readonly runShell: RunShell;
  readonly signal: AbortSignal;
  /** A file of the session. The output of the commands is stored beside it. */
  readonly sidecarFile: string;
  /** Asks the model. Resolves with the error of the run. */
  prompt(message: string): Promise<string | undefined>;
}

const CONTEXT_LINES = 200;
const MAX_REPAIRS = 1;

/** `undefined` when the submission names no commands. */
export async function verifyTask(options: VerifyOptions): Promise<VerificationOutcome | undefined> {
  const { session, request, ports, runShell, signal, sidecarFile, prompt } = options;
  if (request.verify.length === 0) return undefined;
  return verifyWithRepair({
    ...{ plan: createPlan(request), id: 'submission', cwd: session.cwd, folder: dirname(sidecarFile), signal },
    ...{ ports, runShell, budgetAccount: undefined, contextLines: CONTEXT_LINES },
    emit: async () => {},
    reportBudgetExceeded: async () => {},
    async repair(message) {
      const error = await prompt(message);
      return error === undefined ? undefined : { error };
    },
  });
}

function createPlan({ verify, onFailure }: SubmissionRequest): VerificationPlan {
  const commands = verify.map((command) => ({ name: command, command, timeoutMs: undefined, optional: false }));
  return { profile: undefined, commands, onFailure, maxRetries: MAX_REPAIRS };
}
