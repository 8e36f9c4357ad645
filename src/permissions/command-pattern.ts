// Patterns of commands, such as `git push *`. A pattern describes one call of a program, word by word.
import { Fault } from '../base/index.ts';
import { ANY_TEXT, isAnyText, type TextPattern } from './text-pattern.ts';

export interface CommandPattern {
  /** `NAME=*` before the program. */
  readonly assignments: readonly TextPattern[];
  /** The program comes first. Never empty. */
  readonly words: readonly TextPattern[];
  /** Ended with the word `*`: any further words match. */
  readonly hasRest: boolean;
}

const OPERATOR = /^(?:[;&|<>()]+|\d*[<>].*)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/**
 * Several patterns when there are several ways to read the text. Words are separated by blanks. Double quotes keep blanks together.
 * Single quotes and `\` make characters literal, also `*`. Throws a Fault when the text is not one call of a program.
 */
export function parseCommandPatterns(text: string): readonly CommandPattern[] {
  const words = splitWords(text);
  const operator = words.find(({ isQuoted, pattern }) => !isQuoted && OPERATOR.test(pattern.join('*')));
  if (operator) {
    const found = operator.pattern.join('*');
    throw new Fault('config', `a pattern describes one command without ${found}; write a rule for each command`);
  }
  const patterns = words.map(({ pattern }) => pattern);
  const last = patterns.at(-1);
  const [name = '', ending] = last ?? [];
  // `npm run test:*` means all commands that begin with `npm run test`, in the rules of other agents. Scripts such as `test:unit` match, too.
  if (last?.length === 2 && ending === '' && name.endsWith(':') && name.length > 1) {
    const before = patterns.slice(0, -1);
    return [
      [...before, [name.slice(0, -1)], ANY_TEXT],
      [...before, last, ANY_TEXT],
    ].map(toCommandPattern);
  }
  return [toCommandPattern(patterns)];
}

function toCommandPattern(patterns: readonly TextPattern[]): CommandPattern {
  const isAssignment = ([first = '']: TextPattern) => ASSIGNMENT.test(first);
  const programAt = patterns.findIndex((pattern) => !isAssignment(pattern));
  if (programAt === -1) throw new Fault('config', 'a pattern needs the name of a program');
  const words = patterns.slice(programAt);
  const hasRest = isAnyText(words.at(-1) as TextPattern);
  const isAnyCommand = hasRest && words.length === 1;
  return {
    assignments: patterns.slice(0, programAt),
    words: hasRest && !isAnyCommand ? words.slice(0, -1) : words,
    hasRest,
  };
}

interface PatternWord {
  readonly pattern: TextPattern;
  readonly isQuoted: boolean;
}

function splitWords(text: string): PatternWord[] {
  const words: PatternWord[] = [];
  let parts: string[] | undefined;
  let isQuoted = false;
  let quote: string | undefined;
  const append = (literal: string) => {
    parts ??= [''];
    parts[parts.length - 1] += literal;
  };
  for (let i = 0; i <= text.length; i += 1) {
    const character = text[i];
    if (quote === undefined && (character === undefined || /\s/.test(character))) {
      if (parts) words.push({ pattern: parts, isQuoted });
      [parts, isQuoted] = [undefined, false];
    } else if (character === undefined) {
      throw new Fault('config', `the quote ${quote} is not closed`);
    } else if (quote !== "'" && character === '\\' && i + 1 < text.length) {
      i += 1;
      isQuoted = true;
      append(text[i] as string);
    } else if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === "'" || character === '"')) {
      [quote, isQuoted] = [character, true];
      append('');
    } else if (character === '*' && quote !== "'") {
      append('');
      (parts as unknown as string[]).push('');
    } else append(character);
  }
  return words;
}

/** The pattern that matches exactly this word. */
export function quoteWord(word: string): string {
  if (word === '') return "''";
  return word.replace(/[\s'"\\*;&|<>()]/g, '\\$&');
}
