// Table of contents: the data of the protocol. Safe to import anywhere; pulls in no agent code.
export * from './ask.ts';
export * from './budget.ts';
export * from './compaction.ts';
export * from './content.ts';
export * from './entry.ts';
export * from './event.ts';
export * from './events/index.ts';
export * from './hosted.ts';
export * from './message.ts';
export * from './model.ts';
export * from './rule.ts';
export * from './state.ts';
export * from './stream.ts';
export * from './subagent.ts';
export * from './todo.ts';
export * from './usage.ts';
