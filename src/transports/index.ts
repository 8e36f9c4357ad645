// Public exports of the transports.
export { createMemoryTransport } from './memory-transport.ts';
export { guardForeignCode, guardStdout } from './stdio-guard.ts';
export { createStdioTransport } from './stdio-transport.ts';
