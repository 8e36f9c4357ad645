// Table of contents: where conversations are kept.
export { createJsonlStore, type JsonlStoreOptions } from './jsonl.ts';
export type { ProcessId, ProcessIdentity } from './lock.ts';
export { createMemoryStore, type MemoryLog } from './memory.ts';
export { sessionFolder, sessionFolders } from './places.ts';
