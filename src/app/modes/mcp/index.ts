// `parley mcp`: the commands about MCP. Each one is loaded when it is used.
import { Fault } from '../../../base/index.ts';
import type { ServeFlags } from './serve.ts';

export const MCP_HELP = `Usage: parley mcp serve [options]

Commands:
  serve    Serve Parley to other agents as an MCP server; \`parley mcp serve --help\`
`;

export interface McpContext {
  readonly warn: (line: string) => void;
  /** Parses the flags of the program. */
  readonly parseFlags: (argv: readonly string[]) => ServeFlags;
}

type McpCommand = (argv: readonly string[], context: McpContext) => Promise<string>;

const COMMANDS: Readonly<Record<string, () => Promise<McpCommand>>> = {
  serve: async () => (await import('./serve.ts')).runMcpServe,
};

/** Returns the text to print. */
export async function runMcp(argv: readonly string[], context: McpContext): Promise<string> {
  const [name = '', ...rest] = argv;
  if (/^(-h|--help|)$/.test(name)) return MCP_HELP;
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) throw new Fault('config', `Unknown command: mcp ${name}\n\n${MCP_HELP}`);
  return (await load())(rest, context);
}
