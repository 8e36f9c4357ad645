// Shows characters that would be invisible or that change the direction of a text. Pure.
import { escapeInvisible as escapeLine } from '../../../src/base/escape-invisible.ts';

/** Line breaks stay. Tabs become blanks. */
export function escapeInvisible(text: string): string {
  return text
    .split('\n')
    .map((line) => escapeLine(line.replaceAll('\t', '    ')))
    .join('\n');
}
