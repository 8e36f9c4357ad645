// The commands that are loaded at startup, because most hosts call them.
export * from './compaction.ts';
export * from './models.ts';
export * from './prompt.ts';
export * from './queue.ts';
export * from './retry.ts';
export * from './session.ts';
export * from './shell.ts';
