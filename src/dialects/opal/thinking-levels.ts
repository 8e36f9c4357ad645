// Converts thinking levels to and from Opal's five names.
import { THINKING_LEVELS, type ThinkingLevel } from '../../protocol/index.ts';

/** `max` is `xhigh`; an unknown name is `off`. */
export function decodeThinkingLevel(name: string): ThinkingLevel {
  if (name === 'max') return 'xhigh';
  return THINKING_LEVELS.find((level) => level === name) ?? 'off';
}

export function encodeThinkingLevel(level: ThinkingLevel): string {
  if (level === 'xhigh') return 'max';
  return level === 'minimal' ? 'low' : level;
}
