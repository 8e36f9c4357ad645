// The hall: a line on stderr for what is going on, when a person is there to read it.
import { plainLine } from '../../base/plain.ts';
import type { AgentEvent } from '../../protocol/index.ts';

export interface Progress {
  /** Whether anything is written. */
  readonly isShown: boolean;
  show(event: AgentEvent): void;
  end(): void;
}

const LONGEST = 100;

export function createProgress(): Progress {
  if (!process.stderr.isTTY) return { isShown: false, show: () => {}, end: () => {} };
  return {
    isShown: true,
    show(event) {
      if (event.type === 'tool_execution_start') line(`· ${event.toolName} ${summary(event.args)}`);
      if (event.type === 'tool_execution_end' && event.isError) line(`  ${event.toolName} failed`);
      if (event.type === 'notice') line(event.message);
    },
    end() {},
  };
}

/** Untrusted text never reaches a terminal with its control characters. */
function line(text: string): void {
  process.stderr.write(`\u001b[2m${plainLine(text)}\u001b[22m\n`);
}

function summary(args: Record<string, unknown>): string {
  const text = Object.values(args)
    .filter((value) => typeof value === 'string')
    .join(' ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
