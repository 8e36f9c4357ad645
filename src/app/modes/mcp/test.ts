// `parley mcp test`: connects to MCP servers, and shows what they offer or why they cannot be used.
import { parseArgs } from 'node:util';
import { Fault } from '../../../base/index.ts';
import { sanitize } from '../../../base/safe-text.ts';
import type { McpServerDefinition } from '../../../contracts/index.ts';
import { parseWithHelp } from '../parse-with-help.ts';
import { formatMcpHelp } from './help.ts';
import { connectServer, createMcpSetup, findServer, type McpSetup, readConfiguredServers } from './setup.ts';

export async function runMcpTest(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const [name, ...extra] = parseWithHelp(formatMcpHelp(), () =>
    parseArgs({ args: [...argv], allowPositionals: true }),
  ).positionals;
  if (extra.length > 0) throw new Fault('config', `parley mcp test needs at most one NAME\n\n${formatMcpHelp()}`);
  const setup = await createMcpSetup();
  const configured = await readConfiguredServers(setup, warn);
  const tested = name === undefined ? configured.definitions : [findServer(setup, configured, name)];
  if (tested.length === 0) return 'No MCP servers are defined.\n';
  const startupTimeoutMs = configured.settings['mcp.startupTimeout'];
  const reports = await Promise.all(tested.map((definition) => testServer(setup, definition, startupTimeoutMs)));
  await setup.ports.processes.killAll();
  if (reports.some(({ isUsable }) => !isUsable)) process.exitCode = 1;
  return reports.map(({ text }) => `${sanitize(text)}\n`).join('');
}

async function testServer(
  setup: McpSetup,
  definition: McpServerDefinition,
  startupTimeoutMs: number,
): Promise<{ text: string; isUsable: boolean }> {
  const { clock } = setup.ports;
  const { name } = definition;
  const startedMs = clock.now();
  const notices: string[] = [];
  const servers = connectServer(setup, definition, { startupTimeoutMs, notices });
  try {
    await servers.connect();
    const [status] = servers.getStatus();
    if (status?.state !== 'connected') {
      const problem = status?.problem ?? notices[0] ?? `not connected after ${startupTimeoutMs} ms`;
      return { text: `${name}: ${problem}${getRemedy(name, status?.state)}`, isUsable: false };
    }
    const elapsedMs = clock.now() - startedMs;
    const resources = await servers.listResources(name).catch(() => []);
    const counts = [
      [servers.tools.length, 'tool'],
      [servers.prompts.length, 'prompt'],
      [resources.length, 'resource'],
    ] as const;
    const offers = counts.map(([count, word]) => `${count} ${word}${count === 1 ? '' : 's'}`).join(', ');
    const tools = servers.tools.map((tool) => `\n  ${tool.name} (${tool.effect})`).join('');
    return { text: `${name}: connected in ${elapsedMs} ms, ${offers}${tools}`, isUsable: true };
  } finally {
    await servers.close();
  }
}

function getRemedy(name: string, state: string | undefined): string {
  if (state === 'sign_in_required') return `\n  Sign in: parley mcp login ${name}`;
  if (state === 'connecting') return '\n  A slow server needs a larger mcp.startupTimeout.';
  return '\n  Check its definition: parley mcp list';
}
