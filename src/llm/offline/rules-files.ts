// First floor, llm: phrases that change files or run commands. What is run or written must be spelled out by the user.
import type { Errand } from './intent.ts';
import { each, fileOf, looksLikeFile } from './phrases.ts';
import { type Quote, quotedText, unmask } from './quoting.ts';
import { phrase, type Rule } from './rule.ts';

const NEW_FILE =
  '(?:an? |the )?(?:new )?(?:empty )?(?:text )?(?<file>file )?(?:named |called )?(?<path><WORD>)(?: file)?';
// "the text `x`" is a label for x; "text about cats" is itself the text.
const CONTENT =
  '(?:(?:the (?:following )?)?contents?\\b:?|the (?:following )?(?:text|words?|lines?|code)\\b:?|(?:text|lines?|code):?(?= ?<QUOTE>))?';

export const fileRules: readonly Rule[] = [
  phrase(
    '(?:run|execute|exec)(?: the)?(?: following)?(?: shell| bash)?(?: command)?:? (?<command><QUOTE>)',
    (part, quotes) => {
      const command = quotedText(part('command') ?? '', quotes)?.trim();
      return command ? [{ kind: 'run', command }] : undefined;
    },
  ),
  phrase('(?:run|execute|exec) .+', () => [{ kind: 'unclear', words: '', hint: 'quote-command' }]),
  phrase(
    '(?:replace|change|substitute|swap)(?: the)?(?: text| words?| string)? (?<old><WORD>) (?:with|by|to|for|into) (?<new><WORD>) (?:in|inside|within) (?<files>.+)',
    (part, quotes) => replacements(part('old'), part('new'), part('files'), quotes),
  ),
  phrase(
    '(?:in|inside|within) (?<files><WORD>),? (?:replace|change|substitute|swap)(?: the)?(?: text| words?| string)? (?<old><WORD>) (?:with|by|to|for|into) (?<new><WORD>)',
    (part, quotes) => replacements(part('old'), part('new'), part('files'), quotes),
  ),
  phrase('(?:replace|change|substitute) <WORD> (?:with|by|to|for|into) <WORD>', () => [
    { kind: 'unclear', words: '', hint: 'name-file' },
  ]),
  phrase(
    '(?:remove|delete|drop)(?: the)?(?: text| words?| line)? (?<old><QUOTE>) (?:from|in) (?<files>.+)',
    (part, quotes) => replacements(part('old'), '', part('files'), quotes),
  ),
  phrase('(?:remove|delete|rm)(?: .+)?', () => [{ kind: 'unclear', words: '', hint: 'no-delete' }]),
  phrase(`append ${CONTENT} ?(?<text>.+) to(?: the end of)? (?<file>.+)`, (part, quotes) =>
    appending(part('text'), part('file'), quotes),
  ),
  phrase(`add ${CONTENT} ?(?<text><QUOTE>) (?:to|at)(?: the end of)? (?<file>.+)`, (part, quotes) =>
    appending(part('text'), part('file'), quotes),
  ),
  phrase(
    `(?:create|write|make|add|save) ${NEW_FILE}(?:,? (?:with|containing|that (?:contains|says|reads)|saying|which (?:contains|says)):? ${CONTENT}|:) ?(?<text>.+)`,
    (part, quotes) => creation(part('path'), part('file'), part('text'), quotes),
  ),
  phrase('(?:write|save|put|store) (?<text><QUOTE>) (?:to|in|into|as|at) (?<file>.+)', (part, quotes) => {
    const path = fileOf(part('file') ?? '', quotes);
    return path ? [{ kind: 'create', path, content: literal(part('text'), quotes) }] : undefined;
  }),
  phrase(`(?:create|touch|make) ${NEW_FILE}`, (part, quotes) => creation(part('path'), part('file'), '', quotes)),
];

function literal(words: string | undefined, quotes: readonly Quote[]): string {
  return quotedText(words ?? '', quotes) ?? unmask(words ?? '', quotes);
}

function replacements(
  oldWords: string | undefined,
  newWords: string | undefined,
  files: string | undefined,
  quotes: readonly Quote[],
): readonly Errand[] | undefined {
  const oldText = literal(oldWords, quotes);
  const newText = literal(newWords, quotes);
  const paths = each(files ?? '', (words) => fileOf(words, quotes));
  if (!paths || oldText === '') return undefined;
  return paths.map((path) => ({ kind: 'replace', path, oldText, newText }));
}

function appending(
  text: string | undefined,
  file: string | undefined,
  quotes: readonly Quote[],
): readonly Errand[] | undefined {
  const path = fileOf(file ?? '', quotes);
  return path ? [{ kind: 'append', path, content: literal(text, quotes) }] : undefined;
}

function creation(
  word: string | undefined,
  saysFile: string | undefined,
  text: string | undefined,
  quotes: readonly Quote[],
): readonly Errand[] | undefined {
  const path = fileOf(word ?? '', quotes);
  // "write a poem with rhymes" names no file.
  if (!path || !(saysFile || looksLikeFile(path))) return undefined;
  return [{ kind: 'create', path, content: literal(text, quotes) }];
}
