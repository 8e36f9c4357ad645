// Public API of the session store.
export { createJsonlStore, type JsonlStoreOptions } from './jsonl-store.ts';
export { createMemoryStore, type MemoryLog } from './memory-store.ts';
export { getSessionDirectory, listSessionDirectories } from './session-paths.ts';
