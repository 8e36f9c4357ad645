// Starts a database server, prints its pid and address, and is killed by a test. Bundled by server-death.test.ts.
import { writeSync } from 'node:fs';
import { startEmbeddedServer } from '../../../src/app/fleet/embedded-server.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';

const [, , directory = '', programDirectory, resolveFrom] = process.argv;
const ports = createSystemPorts();
writeSync(1, '{}\n');
const { pid, url } = await startEmbeddedServer({ directory, programDirectory, resolveFrom, ports });
writeSync(1, `${JSON.stringify({ pid, url })}\n`);
process.stdin.once('data', () => process.exit(3));
