// The commands that are loaded at startup: most hosts call them, or a later command must find that they have started.
export * from './compaction.ts';
export * from './models.ts';
export * from './prompt.ts';
export * from './session.ts';
export * from './shell.ts';
