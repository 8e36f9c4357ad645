// First floor, commands: how hard a model thinks, in Opal's five words.
import { THINKING_LEVELS, type ThinkingLevel } from '../../protocol/index.ts';

/** `max` is the most there is; what nobody knows is off. */
export function wantedLevel(word: string | undefined): ThinkingLevel | undefined {
  if (word === undefined) return undefined;
  if (word === 'max') return 'xhigh';
  return THINKING_LEVELS.find((level) => level === word) ?? 'off';
}

/** In the words that are understood on the way in. */
export function spokenLevel(level: ThinkingLevel): string {
  if (level === 'xhigh') return 'max';
  return level === 'minimal' ? 'low' : level;
}
