// `npm run test:mcp`: runs the MCP conformance suite, and real MCP servers from npm, against Parley. The packages are installed with npm into
// node_modules/.cache. With arguments, only `conformance` or `servers`; further arguments select scenarios by a part of their names.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { runConformance } from './mcp/conformance.mjs';
import { install, root } from './mcp/install.mjs';

/** The newest release, and the newest preview, which has the scenarios of protocol version 2026-07-28. */
const CONFORMANCE_VERSIONS = ['0.1.16', '0.2.0-alpha.12'];
const SERVERS = ['everything', 'filesystem', 'memory'].map((name) => [
  `@modelcontextprotocol/server-${name}`,
  '2026.8.31',
]);

const [part, ...scenarios] = process.argv.slice(2);
const results = [];
if (part === undefined || part === 'conformance') {
  for (const version of CONFORMANCE_VERSIONS) results.push(await runConformance({ version, scenarios }));
}
if (part === undefined || part === 'servers') {
  const driver = join(root, 'scripts/mcp/servers.mjs');
  const driverArguments = [driver, install(Object.fromEntries(SERVERS)), join(root, 'dist/cli.js')];
  const { status } = spawnSync(process.execPath, driverArguments, { stdio: ['ignore', 'inherit', 'inherit'] });
  results.push(status === 0);
}
process.exitCode = results.every(Boolean) ? 0 : 1;
