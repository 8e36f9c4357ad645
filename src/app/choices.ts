// The hall: values that a flag and a setting share, so that both name the same words.
export { THINKING_LEVELS } from '../protocol/index.ts';

export const STREAMS = ['full', 'delta'] as const;
export const ON_EOF = ['finish', 'abort'] as const;
export const APPROVALS = ['never', 'on-write', 'always'] as const;
