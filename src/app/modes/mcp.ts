// `parley mcp`: lists, changes and tests MCP servers. Each action is loaded when it is used.
import { Fault, findClosestMatch } from '../../base/index.ts';
import { formatMcpHelp } from './mcp/help.ts';

type McpAction = (argv: readonly string[], warn: (line: string) => void) => Promise<string>;

/** Each action returns the text for stdout. Its usage is in mcp/help.ts. */
const ACTIONS: Readonly<Record<string, () => Promise<McpAction>>> = {
  list: async () => (await import('./mcp/list.ts')).runMcpList,
  add: async () => (await import('./mcp/add.ts')).runMcpAdd,
  remove: async () => (await import('./mcp/remove.ts')).runMcpRemove,
  login: async () => (await import('./mcp/login.ts')).runMcpLogin,
  logout: async () => (await import('./mcp/logout.ts')).runMcpLogout,
  test: async () => (await import('./mcp/test.ts')).runMcpTest,
};

/** Returns the text to print. */
export async function runMcp(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const [name, ...rest] = argv;
  const separator = argv.indexOf('--');
  const words = argv.slice(0, separator === -1 ? undefined : separator);
  if (name === undefined || words.some((word) => word === '-h' || word === '--help')) return formatMcpHelp();
  const load = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (load) return (await load())(rest, warn);
  const nearest = findClosestMatch(name, Object.keys(ACTIONS));
  const suggestion = nearest ? ` Did you mean \`parley mcp ${nearest}\`?` : '';
  throw new Fault('config', `Unknown action: parley mcp ${name}.${suggestion}\n\n${formatMcpHelp()}`);
}
