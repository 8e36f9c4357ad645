// Process whose token is refused by the server when a line arrives. Prints the token with which the request is sent again. Arguments: directory, URL.
import { once } from 'node:events';
import { createMcpCredentials } from '../../../src/app/mcp/credentials.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createAuthProvider } from '../../../src/mcp/oauth/auth-provider.ts';

const [agentDirectory = '', url = ''] = process.argv.slice(2);
const ports = createSystemPorts({ agentDirectory });
const credentials = createMcpCredentials({ ports, agentDirectory });
const server = { type: 'http', url, headers: {} } as const;
const provider = createAuthProvider({ name: 'guarded', server }, { ports, credentials });
await provider?.token();
process.stdout.write('ready\n');
await once(process.stdin, 'data');
await provider?.onUnauthorized();
process.stdout.write(`${await provider?.token()}\n`);
process.stdin.destroy();
