// `parley mcp`: the actions about MCP. Each action is loaded when it is used.
import { Fault } from '../../base/index.ts';
import type { ParseFlags } from './mcp/serve.ts';

type McpAction = (argv: readonly string[], warn: (line: string) => void, parseFlags: ParseFlags) => Promise<string>;

interface ActionRow {
  /** The lines of the help text. */
  readonly usage: readonly (readonly [synopsis: string, summary: string])[];
  load(): Promise<McpAction>;
}

/** In the order of the help text. Each action returns the text for stdout. */
const ACTIONS: Readonly<Record<string, ActionRow>> = {
  serve: {
    usage: [['serve [options]', 'serve Parley to other agents as an MCP server over stdin and stdout']],
    load: async () => (await import('./mcp/serve.ts')).runMcpServe,
  },
};

/** Returns the text to print. `parseFlags` parses the flags of the program. */
export async function runMcp(
  argv: readonly string[],
  warn: (line: string) => void,
  parseFlags: ParseFlags,
): Promise<string> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h') return formatMcpHelp();
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw new Fault('config', `Unknown command: mcp ${name}\n\n${formatMcpHelp()}`);
  return (await action.load())(rest, warn, parseFlags);
}

function formatMcpHelp(): string {
  const rows = Object.values(ACTIONS).flatMap(({ usage }) => usage);
  const lines = rows.map(
    ([synopsis, summary], index) => `${index === 0 ? 'Usage:' : '      '} parley mcp ${synopsis}  ${summary}`,
  );
  return `${lines.join('\n')}\n`;
}
