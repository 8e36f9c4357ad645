// Re-exports the data types of the protocol. Must not import agent code.

export * from './approval.ts';
export * from './budget.ts';
export * from './compaction-result.ts';
export * from './content.ts';
export * from './event.ts';
export * from './events/index.ts';
export * from './host-tool-frames.ts';
export * from './message.ts';
export * from './model.ts';
export * from './prompt-outcome.ts';
export * from './rule.ts';
export * from './server-frames.ts';
export * from './session-entry.ts';
export * from './session-state.ts';
export * from './slash-command-entry.ts';
export * from './stream-event.ts';
export * from './subagent.ts';
export * from './todo.ts';
export * from './ui-request.ts';
export * from './usage.ts';
