// Writes progress lines to stderr when stderr is a terminal.
import { sanitizeLine } from '../../base/safe-text.ts';
import type { AgentEvent } from '../../protocol/index.ts';

export interface Progress {
  /** Whether anything is written. */
  readonly isShown: boolean;
  show(event: AgentEvent): void;
}

const MAX_SUMMARY_LENGTH = 100;

export function createProgress(): Progress {
  if (!process.stderr.isTTY) return { isShown: false, show: () => {} };
  return {
    isShown: true,
    show(event) {
      if (event.type === 'tool_execution_start') writeLine(`· ${event.toolName} ${summarizeArguments(event.args)}`);
      if (event.type === 'tool_execution_end' && event.isError) writeLine(`  ${event.toolName} failed`);
      if (event.type === 'notice') writeLine(event.message);
    },
  };
}

/** Removes control characters, because the text is untrusted. */
function writeLine(text: string): void {
  process.stderr.write(`\u001b[2m${sanitizeLine(text)}\u001b[22m\n`);
}

function summarizeArguments(args: Record<string, unknown>): string {
  const text = Object.values(args)
    .filter((value) => typeof value === 'string')
    .join(' ');
  return text.length > MAX_SUMMARY_LENGTH ? `${text.slice(0, MAX_SUMMARY_LENGTH)}…` : text;
}
