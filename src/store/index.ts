// Public API of the session store.
export { createJsonlStore, type JsonlStoreOptions } from './jsonl-store.ts';
export { createMemoryStore, type MemoryLog } from './memory-store.ts';
export { createSessionIndex, type SessionIndex } from './session-index.ts';
export { getSessionDirectory, listSessionDirectories } from './session-paths.ts';
