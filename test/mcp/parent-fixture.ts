// A small program with one MCP server that a test kills: prints the pid of the server and waits. Bundled by process-death.test.ts.
import { writeSync } from 'node:fs';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import type { RunningProcess } from '../../src/contracts/index.ts';
import { createMcpServers } from '../../src/mcp/index.ts';

const [, , command = '', ...args] = process.argv;
const ports = createSystemPorts();
let child: RunningProcess | undefined;
const processes: typeof ports.processes = {
  ...ports.processes,
  async spawn(request) {
    child = await ports.processes.spawn(request);
    return child;
  },
};
const definition = { name: 'one', source: 'test', server: { type: 'stdio' as const, command, args, env: {} } };
const servers = createMcpServers([definition], {
  ports: { ...ports, processes },
  cwd: '/',
  version: '1',
  startupTimeoutMs: 30_000,
  host: () => undefined,
  notify: () => {},
});
await servers.connect();
writeSync(1, `${JSON.stringify({ pid: child?.pid, tools: servers.tools.length })}\n`);

const endings: Record<string, () => void> = {
  'process.exit': () => process.exit(3),
  throw: () => {
    throw new Error('unexpected exception');
  },
  // The process must end by itself: no timer and no listener may be left.
  close: () => void servers.close().then(() => ports.close()),
};
process.stdin.once('data', (ending) => {
  process.stdin.destroy();
  endings[String(ending)]?.();
});
