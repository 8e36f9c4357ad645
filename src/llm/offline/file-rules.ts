// Rules for requests that change files or run commands. The user must spell out the command or the text.
import type { ToolIntent } from './intent.ts';
import { isLikelyFile, parseFilePath, parseList } from './phrases.ts';
import { getQuotedText, type Quote, unmaskQuotes } from './quoting.ts';
import { createRule, type Rule } from './rule.ts';

const NEW_FILE =
  '(?:an? |the )?(?:new )?(?:empty )?(?:text )?(?<file>file )?(?:named |called )?(?<path><WORD>)(?: file)?';
// In "the text `x`" the words are a label for x; "text about cats" is the text itself.
const CONTENT =
  '(?:(?:the (?:following )?)?contents?\\b:?|the (?:following )?(?:text|words?|lines?|code)\\b:?|(?:text|lines?|code):?(?= ?<QUOTE>))?';

export const fileRules: readonly Rule[] = [
  createRule(
    '(?:run|execute|exec)(?: the)?(?: following)?(?: shell| bash)?(?: command)?:? (?<command><QUOTE>)',
    (part, quotes) => {
      const command = getQuotedText(part('command') ?? '', quotes)?.trim();
      return command ? [{ kind: 'run', command }] : undefined;
    },
  ),
  createRule('(?:run|execute|exec) .+', () => [{ kind: 'unclear', request: '', hint: 'quote-command' }]),
  createRule(
    '(?:replace|change|substitute|swap)(?: the)?(?: text| words?| string)? (?<old><WORD>) (?:with|by|to|for|into) (?<new><WORD>) (?:in|inside|within) (?<files>.+)',
    (part, quotes) => createReplaceIntents(part('old'), part('new'), part('files'), quotes),
  ),
  createRule(
    '(?:in|inside|within) (?<files><WORD>),? (?:replace|change|substitute|swap)(?: the)?(?: text| words?| string)? (?<old><WORD>) (?:with|by|to|for|into) (?<new><WORD>)',
    (part, quotes) => createReplaceIntents(part('old'), part('new'), part('files'), quotes),
  ),
  createRule('(?:replace|change|substitute) <WORD> (?:with|by|to|for|into) <WORD>', () => [
    { kind: 'unclear', request: '', hint: 'name-file' },
  ]),
  createRule(
    '(?:remove|delete|drop)(?: the)?(?: text| words?| line)? (?<old><QUOTE>) (?:from|in) (?<files>.+)',
    (part, quotes) => createReplaceIntents(part('old'), '', part('files'), quotes),
  ),
  createRule('(?:remove|delete|rm)(?: .+)?', () => [{ kind: 'unclear', request: '', hint: 'no-delete' }]),
  createRule(`append ${CONTENT} ?(?<text>.+) to(?: the end of)? (?<file>.+)`, (part, quotes) =>
    createAppendIntents(part('text'), part('file'), quotes),
  ),
  createRule(`add ${CONTENT} ?(?<text><QUOTE>) (?:to|at)(?: the end of)? (?<file>.+)`, (part, quotes) =>
    createAppendIntents(part('text'), part('file'), quotes),
  ),
  createRule(
    `(?:create|write|make|add|save) ${NEW_FILE}(?:,? (?:with|containing|that (?:contains|says|reads)|saying|which (?:contains|says)):? ${CONTENT}|:) ?(?<text>.+)`,
    (part, quotes) => createFileIntents(part('path'), part('file'), part('text'), quotes),
  ),
  createRule('(?:write|save|put|store) (?<text><QUOTE>) (?:to|in|into|as|at) (?<file>.+)', (part, quotes) => {
    const path = parseFilePath(part('file') ?? '', quotes);
    return path ? [{ kind: 'create', path, content: getLiteral(part('text'), quotes) }] : undefined;
  }),
  createRule(`(?:create|touch|make) ${NEW_FILE}`, (part, quotes) =>
    createFileIntents(part('path'), part('file'), '', quotes),
  ),
];

function getLiteral(phrase: string | undefined, quotes: readonly Quote[]): string {
  return getQuotedText(phrase ?? '', quotes) ?? unmaskQuotes(phrase ?? '', quotes);
}

function createReplaceIntents(
  oldWords: string | undefined,
  newWords: string | undefined,
  files: string | undefined,
  quotes: readonly Quote[],
): readonly ToolIntent[] | undefined {
  const oldText = getLiteral(oldWords, quotes);
  const newText = getLiteral(newWords, quotes);
  const paths = parseList(files ?? '', (phrase) => parseFilePath(phrase, quotes));
  if (!paths || oldText === '') return undefined;
  return paths.map((path) => ({ kind: 'replace', path, oldText, newText }));
}

function createAppendIntents(
  text: string | undefined,
  file: string | undefined,
  quotes: readonly Quote[],
): readonly ToolIntent[] | undefined {
  const path = parseFilePath(file ?? '', quotes);
  return path ? [{ kind: 'append', path, content: getLiteral(text, quotes) }] : undefined;
}

function createFileIntents(
  word: string | undefined,
  fileKeyword: string | undefined,
  text: string | undefined,
  quotes: readonly Quote[],
): readonly ToolIntent[] | undefined {
  const path = parseFilePath(word ?? '', quotes);
  // "write a poem with rhymes" names no file.
  if (!path || !(fileKeyword || isLikelyFile(path))) return undefined;
  return [{ kind: 'create', path, content: getLiteral(text, quotes) }];
}
