// The hall: values that a flag and a setting share, so that both name the same words.
export { THINKING_LEVELS } from '../protocol/index.ts';

export const STREAMS = ['full', 'delta'] as const;
export const ON_EOF = ['finish', 'abort'] as const;
export const APPROVALS = ['never', 'on-execute', 'on-write', 'always'] as const;

/** Values of `--approval-mode`: those of the setting, and the three of oh-my-pi with the setting that means the same. */
export const APPROVAL_MODES = ['always-ask', 'write', 'yolo', ...APPROVALS] as const;

const SAME_AS = { 'always-ask': 'on-write', write: 'on-execute', yolo: 'never' } as const;

export function approvalOf(mode: (typeof APPROVAL_MODES)[number]): (typeof APPROVALS)[number] {
  return mode in SAME_AS ? SAME_AS[mode as keyof typeof SAME_AS] : (mode as (typeof APPROVALS)[number]);
}
