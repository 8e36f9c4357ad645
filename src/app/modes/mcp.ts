// `parley mcp`: the actions about MCP. Each action is loaded when it is used.
import { Fault, findClosestMatch } from '../../base/index.ts';
import { formatMcpHelp } from './mcp/help.ts';
import type { ParseFlags } from './mcp/serve.ts';

type McpAction = (argv: readonly string[], warn: (line: string) => void, parseFlags: ParseFlags) => Promise<string>;

/** Each action returns the text for stdout. Its usage is in mcp/help.ts. */
const ACTIONS: Readonly<Record<string, () => Promise<McpAction>>> = {
  list: async () => (await import('./mcp/list.ts')).runMcpList,
  add: async () => (await import('./mcp/add.ts')).runMcpAdd,
  remove: async () => (await import('./mcp/remove.ts')).runMcpRemove,
  login: async () => (await import('./mcp/login.ts')).runMcpLogin,
  logout: async () => (await import('./mcp/logout.ts')).runMcpLogout,
  test: async () => (await import('./mcp/test.ts')).runMcpTest,
  serve: async () => (await import('./mcp/serve.ts')).runMcpServe,
};

/** Its options are those of the program, so it has its own help text. */
const SERVE = 'serve';

/** Returns the text to print. `parseFlags` parses the flags of the program. */
export async function runMcp(
  argv: readonly string[],
  warn: (line: string) => void,
  parseFlags: ParseFlags,
): Promise<string> {
  const [name, ...rest] = argv;
  const separator = argv.indexOf('--');
  const words = argv.slice(0, separator === -1 ? undefined : separator);
  const isHelp = name !== SERVE && words.some((word) => word === '-h' || word === '--help');
  if (name === undefined || isHelp) return formatMcpHelp();
  const load = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (load) return (await load())(rest, warn, parseFlags);
  const nearest = findClosestMatch(name, Object.keys(ACTIONS));
  const suggestion = nearest ? ` Did you mean \`parley mcp ${nearest}\`?` : '';
  throw new Fault('config', `Unknown action: parley mcp ${name}.${suggestion}\n\n${formatMcpHelp()}`);
}
