// Table of contents: the ways in which lines travel.
export {
  createMemoryTransport,
  type MemoryHost,
  type MemoryOptions,
  type MemoryPair,
  type MemoryTransport,
} from './memory.ts';
export { createStdioTransport, type StdioOptions, type StdioTransport } from './stdio.ts';
export { guardForeignCode, guardStdout } from './stdio-guard.ts';
