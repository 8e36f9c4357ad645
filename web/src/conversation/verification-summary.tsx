// The verification of the work of a subagent: attempts and their commands, live and from the result.
import type { VerificationResult } from '../../../src/protocol/index.ts';
import { formatDuration } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import type { VerificationAttemptView } from '../store/session-view.ts';

interface VerificationSummaryProps {
  readonly attempts: readonly VerificationAttemptView[];
  readonly result: VerificationResult | undefined;
}

interface CommandLine {
  readonly name: string;
  readonly status: 'running' | 'passed' | 'failed';
  readonly durationMs: number | undefined;
  readonly output: string | undefined;
}

interface AttemptLines {
  readonly attempt: number;
  readonly status: string;
  readonly commands: readonly CommandLine[];
}

export function VerificationSummary({ attempts, result }: VerificationSummaryProps) {
  const all = result && result.attempts.length > 0 ? fromResult(result) : attempts.map(fromEvents);
  if (all.length === 0) return null;
  return (
    <div class="verification">
      {all.map(({ attempt, status, commands }) => (
        <div key={attempt} class={`attempt ${status}`}>
          <span class={`status ${status}`}>
            {status === 'running' ? <span class="spinner" aria-hidden="true" /> : null}
            Verification {all.length > 1 ? `${attempt} ` : ''}
            {status.replace('_', ' ')}
          </span>
          <ul>
            {commands.map((command) => (
              <Command key={command.name} {...command} />
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

function Command({ name, status, durationMs, output }: CommandLine) {
  return (
    <li class={status}>
      <Icon name={status === 'passed' ? 'check' : status === 'failed' ? 'close' : 'play'} size={12} />
      <code>{name}</code>
      <span class="visually-hidden">{status}</span>
      {durationMs === undefined ? null : <span class="quiet">{formatDuration(durationMs)}</span>}
      {status === 'failed' && output ? <pre>{output}</pre> : null}
    </li>
  );
}

function fromEvents({ attempt, status, commands }: VerificationAttemptView): AttemptLines {
  return { attempt, status, commands: commands.map((command) => ({ ...command, output: undefined })) };
}

function fromResult({ attempts }: VerificationResult): AttemptLines[] {
  return attempts.map(({ attempt, status, commandResults }) => ({
    attempt,
    status,
    commands: commandResults.map(({ name, exitCode, durationMs, outputPreview }) => ({
      name,
      status: exitCode === 0 ? ('passed' as const) : ('failed' as const),
      durationMs,
      output: outputPreview,
    })),
  }));
}
