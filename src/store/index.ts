// Table of contents: where conversations are kept.
export { createJsonlStore, type JsonlStoreOptions } from './jsonl.ts';
export { createMemoryStore, type MemoryLog } from './memory.ts';
export { sessionFolder } from './places.ts';
