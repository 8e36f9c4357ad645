// Rules for read-only requests: list, find, search, read and summarize.
import type { ToolIntent } from './intent.ts';
import { getGlobForKind, isLikelyFile, parseDirectory, parseFilePath, parseList } from './phrases.ts';
import { getQuotedText, type Quote, unmaskQuotes } from './quoting.ts';
import { createFixedRule, createRule, type Rule } from './rule.ts';

const ENTRY_NOUNS = '(?:files|folders|directories|contents?|entries)(?: and (?:files|folders|directories))?';
const SHOW_VERBS = '(?:show(?: me)?|read|open|cat|print|display|view|look at|let me see|give me|type)';

const listRules: readonly Rule[] = [
  createFixedRule({ kind: 'list', path: '.' }, '(?:list|ls|dir|look around|list everything)'),
  createRule(
    `(?:(?:list|show(?: me)?|give me|see) (?:all )?(?:the )?|(?:what|which) )${ENTRY_NOUNS}(?: (?:are|do (?:we|you|i) have|exist|there))*(?: (?:here|(?:<IN>) (?<place>.+)))?`,
    (part, quotes) => createListIntents(part('place') ?? '.', quotes),
  ),
  createRule("what(?:'s| is| are)(?: there)? (?:here|(?:in|inside|under) (?<place>.+))", (part, quotes) => {
    const places = part('place') ?? '.';
    const file = parseFilePath(places, quotes);
    return file && /[^./]\.\w+$/.test(file) ? [{ kind: 'read', path: file }] : createListIntents(places, quotes);
  }),
  createRule('(?:list|ls) (?<place>.+)', (part, quotes) => createListIntents(part('place') ?? '.', quotes)),
];

const summariseRules: readonly Rule[] = [
  createRule(
    '(?:summari[sz]e|sum up|describe|explain|tell me about|give me an? (?:short |brief )?(?:summary|overview) of) (?<files>.+)',
    (part, quotes) => createSummariseIntents(part('files'), quotes),
  ),
  createRule("what(?:'s| is| does) (?<files><WORD>) (?:about|say|for|contain)", (part, quotes) =>
    createSummariseIntents(part('files'), quotes),
  ),
];

const readRules: readonly Rule[] = [
  createRule(
    `${SHOW_VERBS} (?:the )?lines? (?<from>\\d+)(?: ?(?:-|–|to|through|until) ?(?<to>\\d+))? (?:of|from|in) (?<file>.+)`,
    (part, quotes) => createReadIntents(part('file'), part('from'), part('to') ?? part('from'), quotes),
  ),
  createRule(
    `${SHOW_VERBS} (?<file>.+?),? (?:from )?lines? (?<from>\\d+)(?: ?(?:-|–|to|through|until) ?(?<to>\\d+))?(?<on> on)?`,
    (part, quotes) =>
      createReadIntents(part('file'), part('from'), part('to') ?? (part('on') ? undefined : part('from')), quotes),
  ),
  createRule(`(?:${SHOW_VERBS} )?(?:the )?(?:first|top) (?<to>\\d+) lines (?:of|from|in) (?<file>.+)`, (part, quotes) =>
    createReadIntents(part('file'), '1', part('to'), quotes),
  ),
  createRule(`${SHOW_VERBS} (?<file><WORD>?[^\\s:]):(?<from>\\d+)(?:-(?<to>\\d+))?`, (part, quotes) =>
    createReadIntents(part('file'), part('from'), part('to') ?? part('from'), quotes),
  ),
];

const findRules: readonly Rule[] = [
  createRule(
    '(?:find|list|show(?: me)?)(?: all| every| any)?(?: of)?(?: the)? (?<kind>\\w+) files(?: (?:<IN>) (?<place>.+))?',
    (part, quotes) => {
      const pattern = getGlobForKind(part('kind') ?? '');
      return pattern ? createFindIntents(pattern, part('place'), quotes) : undefined;
    },
  ),
  createRule(
    '(?:find|locate|look for)(?: me)?(?: all| every| any)?(?: of)?(?: the)?(?: (?<file>files?))?(?: (?:named|called|matching|like))? (?<what><WORD>)(?: files?)?(?: (?:<IN>) (?<place>.+))?',
    (part, quotes) => createNamedFileIntents(part('what'), part('file') !== undefined, part('place'), quotes),
  ),
  createRule(
    "where(?:'s| is| are| can i find| do i find)(?: the)?(?: (?<file>file))? (?<what><WORD>)(?: files?)?",
    (part, quotes) => createNamedFileIntents(part('what'), part('file') !== undefined, undefined, quotes),
  ),
];

const IGNORE_CASE = '(?<case>,? (?:ignoring case|case[- ]insensitively|in any case))?';
const searchRules: readonly Rule[] = [
  createRule(
    `(?:search|grep|rg|look|scan|find)(?: (?:all )?(?:the )?(?:occurrences|uses|usages|mentions|references) (?:of|to)| for)? (?:the (?:text|words?|string|pattern) )?(?<what>.+) (?:in|inside|within|under) (?<place>.+?)${IGNORE_CASE}`,
    (part, quotes) => createSearchIntents(part('what'), part('place'), part('case'), quotes),
  ),
  createRule(`(?:search|grep|scan|look through) (?<place><WORD>) for (?<what>.+?)${IGNORE_CASE}`, (part, quotes) =>
    createSearchIntents(part('what'), part('place'), part('case'), quotes),
  ),
  createRule(
    `(?:search|grep|rg|scan|find|show me)(?: (?:all )?(?:the )?(?:occurrences|uses|usages|mentions|references) (?:of|to)| for) (?:the (?:text|words?|string|pattern) )?(?<what>.+?)${IGNORE_CASE}`,
    (part, quotes) => createSearchIntents(part('what'), undefined, part('case'), quotes),
  ),
  createRule(`(?:grep|rg|search) (?<what>.+?)${IGNORE_CASE}`, (part, quotes) =>
    createSearchIntents(part('what'), undefined, part('case'), quotes),
  ),
  createRule('(?:which|what) files? (?:contains?|mentions?|uses?|has|have) (?<what>.+)', (part, quotes) =>
    createSearchIntents(part('what'), undefined, undefined, quotes),
  ),
  createRule(
    "where(?:'s| is| are) (?<what><WORD>) (?:used|defined|mentioned|called|declared|imported)(?: in (?<place>.+))?",
    (part, quotes) => createSearchIntents(part('what'), part('place'), undefined, quotes),
  ),
];

const showRules: readonly Rule[] = [
  createRule(`(?<verb>${SHOW_VERBS}) (?<files>.+)`, (part, quotes) => {
    const files = parseList(part('files') ?? '', (phrase) => parseFilePath(phrase, quotes));
    if (!files) return undefined;
    const namesFile = /\bfiles?\b/i.test(part('files') ?? '') || /^(?:read|cat|open)$/i.test(part('verb') ?? '');
    if (namesFile || files.every(isLikelyFile)) return files.map((path): ToolIntent => ({ kind: 'read', path }));
    return createListIntents(part('files') ?? '', quotes);
  }),
];

export const readOnlyRules: readonly Rule[] = [
  ...readRules,
  ...findRules.slice(0, 1),
  ...listRules,
  ...summariseRules,
  ...findRules.slice(1),
  ...searchRules,
  ...showRules,
];

function createListIntents(locationText: string, quotes: readonly Quote[]): readonly ToolIntent[] | undefined {
  if (locationText === '.') return [{ kind: 'list', path: '.' }];
  return parseList(locationText, (text) => parseDirectory(text, quotes))?.map((path) => ({ kind: 'list', path }));
}

function createSummariseIntents(
  files: string | undefined,
  quotes: readonly Quote[],
): readonly ToolIntent[] | undefined {
  const paths = parseList(files ?? '', (phrase) => parseFilePath(phrase, quotes));
  return paths?.every(isLikelyFile) ? paths.map((path) => ({ kind: 'summarise', path })) : undefined;
}

function createReadIntents(
  file: string | undefined,
  from: string | undefined,
  to: string | undefined,
  quotes: readonly Quote[],
): readonly ToolIntent[] | undefined {
  const path = parseFilePath(file ?? '', quotes);
  const first = Number(from);
  const last = to === undefined ? undefined : Number(to);
  if (!path || first < 1 || (last !== undefined && last < first)) return undefined;
  return [{ kind: 'read', path, from: first, ...(last === undefined ? {} : { to: last }) }];
}

function createFindIntents(
  pattern: string,
  location: string | undefined,
  quotes: readonly Quote[],
): readonly ToolIntent[] | undefined {
  if (location === undefined) return [{ kind: 'find', pattern }];
  const path = parseDirectory(location, quotes);
  return path === undefined ? undefined : [{ kind: 'find', pattern, ...(path === '.' ? {} : { path }) }];
}

/** "find TODO" searches for text, "find package.json" for a file. */
function createNamedFileIntents(
  target: string | undefined,
  namesFile: boolean,
  location: string | undefined,
  quotes: readonly Quote[],
): readonly ToolIntent[] | undefined {
  const pattern = getQuotedText(target ?? '', quotes) ?? target ?? '';
  return namesFile || /[.*/]/.test(pattern) ? createFindIntents(pattern, location, quotes) : undefined;
}

function createSearchIntents(
  target: string | undefined,
  locationText: string | undefined,
  ignoringCase: string | undefined,
  quotes: readonly Quote[],
): readonly ToolIntent[] | undefined {
  const quoted = getQuotedText(target ?? '', quotes);
  const regex = quoted === undefined ? /^\/(?<body>.+)\/(?<flags>i?)$/.exec(target ?? '')?.groups : undefined;
  const pattern = regex?.body ?? quoted ?? unmaskQuotes(target ?? '', quotes);
  // A leading dash is a shell option.
  if (pattern === '' || (quoted === undefined && pattern.startsWith('-'))) return undefined;
  const ignoreCase = Boolean(ignoringCase) || regex?.flags === 'i';
  const base: ToolIntent = {
    kind: 'search',
    pattern,
    ...(regex && { regex: true as const }),
    ...(ignoreCase && { ignoreCase: true as const }),
  };
  if (locationText === undefined) return [base];
  const locations = parseList(
    locationText,
    (location) => parseDirectory(location, quotes) ?? parseGlob(location, quotes),
  );
  return locations?.map((location): ToolIntent => {
    if (location === '.') return base;
    return location.includes('*') ? { ...base, glob: location } : { ...base, path: location };
  });
}

/** Parses "the TypeScript files" and "all *.ts files". */
function parseGlob(location: string, quotes: readonly Quote[]): string | undefined {
  const kind = /^(?:all )?(?:the )?(?<kind>\S+) files$/i.exec(location.trim())?.groups?.kind;
  return kind && (getGlobForKind(kind) ?? (kind.includes('*') ? unmaskQuotes(kind, quotes) : undefined));
}
