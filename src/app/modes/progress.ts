// The hall: a line on stderr for what is going on, when a person is there to read it.
import type { AgentEvent } from '../../protocol/index.ts';

export interface Progress {
  show(event: AgentEvent): void;
  end(): void;
}

const LONGEST = 100;

export function createProgress(): Progress {
  if (!process.stderr.isTTY) return { show: () => {}, end: () => {} };
  return {
    show(event) {
      if (event.type === 'tool_execution_start') line(`· ${event.toolName} ${summary(event.args)}`);
      if (event.type === 'tool_execution_end' && event.isError) line(`  ${event.toolName} failed`);
      if (event.type === 'notice') line(event.message);
    },
    end() {},
  };
}

function line(text: string): void {
  process.stderr.write(`\u001b[2m${text}\u001b[22m\n`);
}

/** Untrusted text never reaches a terminal with its control characters. */
function summary(args: Record<string, unknown>): string {
  const text = Object.values(args)
    .filter((value) => typeof value === 'string')
    .join(' ');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is being removed
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain;
}
