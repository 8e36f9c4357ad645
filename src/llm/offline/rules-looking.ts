// First floor, llm: phrases that only look: list, find, search, read, summarise.
import type { Errand } from './intent.ts';
import { each, fileOf, globOfKind, looksLikeFile, placeOf } from './phrases.ts';
import { type Quote, quotedText, unmask } from './quoting.ts';
import { fixed, phrase, type Rule } from './rule.ts';

const THINGS = '(?:files|folders|directories|contents?|entries)(?: and (?:files|folders|directories))?';
const SHOW = '(?:show(?: me)?|read|open|cat|print|display|view|look at|let me see|give me|type)';

const listing: readonly Rule[] = [
  fixed({ kind: 'list', path: '.' }, '(?:list|ls|dir|look around|list everything)'),
  phrase(
    `(?:(?:list|show(?: me)?|give me|see) (?:all )?(?:the )?|(?:what|which) )${THINGS}(?: (?:are|do (?:we|you|i) have|exist|there))*(?: (?:here|(?:<IN>) (?<place>.+)))?`,
    (part, quotes) => lists(part('place') ?? '.', quotes),
  ),
  phrase("what(?:'s| is| are)(?: there)? (?:here|(?:in|inside|under) (?<place>.+))", (part, quotes) => {
    const places = part('place') ?? '.';
    const file = fileOf(places, quotes);
    return file && /[^./]\.\w+$/.test(file) ? [{ kind: 'read', path: file }] : lists(places, quotes);
  }),
  phrase('(?:list|ls) (?<place>.+)', (part, quotes) => lists(part('place') ?? '.', quotes)),
];

const summarising: readonly Rule[] = [
  phrase(
    '(?:summari[sz]e|sum up|describe|explain|tell me about|give me an? (?:short |brief )?(?:summary|overview) of) (?<files>.+)',
    (part, quotes) => summaries(part('files'), quotes),
  ),
  phrase("what(?:'s| is| does) (?<files><WORD>) (?:about|say|for|contain)", (part, quotes) =>
    summaries(part('files'), quotes),
  ),
];

const reading: readonly Rule[] = [
  phrase(
    `${SHOW} (?:the )?lines? (?<from>\\d+)(?: ?(?:-|–|to|through|until) ?(?<to>\\d+))? (?:of|from|in) (?<file>.+)`,
    (part, quotes) => range(part('file'), part('from'), part('to') ?? part('from'), quotes),
  ),
  phrase(
    `${SHOW} (?<file>.+?),? (?:from )?lines? (?<from>\\d+)(?: ?(?:-|–|to|through|until) ?(?<to>\\d+))?(?<on> on)?`,
    (part, quotes) => range(part('file'), part('from'), part('to') ?? (part('on') ? undefined : part('from')), quotes),
  ),
  phrase(`(?:${SHOW} )?(?:the )?(?:first|top) (?<to>\\d+) lines (?:of|from|in) (?<file>.+)`, (part, quotes) =>
    range(part('file'), '1', part('to'), quotes),
  ),
  phrase(`${SHOW} (?<file><WORD>?[^\\s:]):(?<from>\\d+)(?:-(?<to>\\d+))?`, (part, quotes) =>
    range(part('file'), part('from'), part('to') ?? part('from'), quotes),
  ),
];

const finding: readonly Rule[] = [
  phrase(
    '(?:find|list|show(?: me)?)(?: all| every| any)?(?: of)?(?: the)? (?<kind>\\w+) files(?: (?:<IN>) (?<place>.+))?',
    (part, quotes) => {
      const pattern = globOfKind(part('kind') ?? '');
      return pattern ? find(pattern, part('place'), quotes) : undefined;
    },
  ),
  phrase(
    '(?:find|locate|look for)(?: me)?(?: all| every| any)?(?: of)?(?: the)?(?: (?<file>files?))?(?: (?:named|called|matching|like))? (?<what><WORD>)(?: files?)?(?: (?:<IN>) (?<place>.+))?',
    (part, quotes) => namedFile(part('what'), part('file') !== undefined, part('place'), quotes),
  ),
  phrase(
    "where(?:'s| is| are| can i find| do i find)(?: the)?(?: (?<file>file))? (?<what><WORD>)(?: files?)?",
    (part, quotes) => namedFile(part('what'), part('file') !== undefined, undefined, quotes),
  ),
];

const CASE = '(?<case>,? (?:ignoring case|case[- ]insensitively|in any case))?';
const searching: readonly Rule[] = [
  phrase(
    `(?:search|grep|rg|look|scan|find)(?: (?:all )?(?:the )?(?:occurrences|uses|usages|mentions|references) (?:of|to)| for)? (?:the (?:text|words?|string|pattern) )?(?<what>.+) (?:in|inside|within|under) (?<place>.+?)${CASE}`,
    (part, quotes) => search(part('what'), part('place'), part('case'), quotes),
  ),
  phrase(`(?:search|grep|scan|look through) (?<place><WORD>) for (?<what>.+?)${CASE}`, (part, quotes) =>
    search(part('what'), part('place'), part('case'), quotes),
  ),
  phrase(
    `(?:search|grep|rg|scan|find|show me)(?: (?:all )?(?:the )?(?:occurrences|uses|usages|mentions|references) (?:of|to)| for) (?:the (?:text|words?|string|pattern) )?(?<what>.+?)${CASE}`,
    (part, quotes) => search(part('what'), undefined, part('case'), quotes),
  ),
  phrase(`(?:grep|rg|search) (?<what>.+?)${CASE}`, (part, quotes) =>
    search(part('what'), undefined, part('case'), quotes),
  ),
  phrase('(?:which|what) files? (?:contains?|mentions?|uses?|has|have) (?<what>.+)', (part, quotes) =>
    search(part('what'), undefined, undefined, quotes),
  ),
  phrase(
    "where(?:'s| is| are) (?<what><WORD>) (?:used|defined|mentioned|called|declared|imported)(?: in (?<place>.+))?",
    (part, quotes) => search(part('what'), part('place'), undefined, quotes),
  ),
];

const showing: readonly Rule[] = [
  phrase(`(?<verb>${SHOW}) (?<files>.+)`, (part, quotes) => {
    const files = each(part('files') ?? '', (words) => fileOf(words, quotes));
    if (!files) return undefined;
    const saysFile = /\bfiles?\b/i.test(part('files') ?? '') || /^(?:read|cat|open)$/i.test(part('verb') ?? '');
    if (saysFile || files.every(looksLikeFile)) return files.map((path): Errand => ({ kind: 'read', path }));
    return lists(part('files') ?? '', quotes);
  }),
];

export const lookingRules: readonly Rule[] = [
  ...reading,
  ...finding.slice(0, 1),
  ...listing,
  ...summarising,
  ...finding.slice(1),
  ...searching,
  ...showing,
];

function lists(places: string, quotes: readonly Quote[]): readonly Errand[] | undefined {
  if (places === '.') return [{ kind: 'list', path: '.' }];
  return each(places, (words) => placeOf(words, quotes))?.map((path) => ({ kind: 'list', path }));
}

function summaries(files: string | undefined, quotes: readonly Quote[]): readonly Errand[] | undefined {
  const paths = each(files ?? '', (words) => fileOf(words, quotes));
  return paths?.every(looksLikeFile) ? paths.map((path) => ({ kind: 'summarise', path })) : undefined;
}

function range(
  file: string | undefined,
  from: string | undefined,
  to: string | undefined,
  quotes: readonly Quote[],
): readonly Errand[] | undefined {
  const path = fileOf(file ?? '', quotes);
  const first = Number(from);
  const last = to === undefined ? undefined : Number(to);
  if (!path || first < 1 || (last !== undefined && last < first)) return undefined;
  return [{ kind: 'read', path, from: first, ...(last === undefined ? {} : { to: last }) }];
}

function find(pattern: string, place: string | undefined, quotes: readonly Quote[]): readonly Errand[] | undefined {
  if (place === undefined) return [{ kind: 'find', pattern }];
  const path = placeOf(place, quotes);
  return path === undefined ? undefined : [{ kind: 'find', pattern, ...(path === '.' ? {} : { path }) }];
}

/** "find TODO" wants a text, "find package.json" a file. */
function namedFile(
  what: string | undefined,
  saysFile: boolean,
  place: string | undefined,
  quotes: readonly Quote[],
): readonly Errand[] | undefined {
  const pattern = quotedText(what ?? '', quotes) ?? what ?? '';
  return saysFile || /[.*/]/.test(pattern) ? find(pattern, place, quotes) : undefined;
}

function search(
  what: string | undefined,
  places: string | undefined,
  ignoringCase: string | undefined,
  quotes: readonly Quote[],
): readonly Errand[] | undefined {
  const quoted = quotedText(what ?? '', quotes);
  const regex = quoted === undefined ? /^\/(?<body>.+)\/(?<flags>i?)$/.exec(what ?? '')?.groups : undefined;
  const pattern = regex?.body ?? quoted ?? unmask(what ?? '', quotes);
  // A dash begins an option, which only a shell understands.
  if (pattern === '' || (quoted === undefined && pattern.startsWith('-'))) return undefined;
  const ignoreCase = Boolean(ignoringCase) || regex?.flags === 'i';
  const base: Errand = {
    kind: 'search',
    pattern,
    ...(regex && { regex: true as const }),
    ...(ignoreCase && { ignoreCase: true as const }),
  };
  if (places === undefined) return [base];
  const wheres = each(places, (place) => placeOf(place, quotes) ?? globOf(place, quotes));
  return wheres?.map((where): Errand => {
    if (where === '.') return base;
    return where.includes('*') ? { ...base, glob: where } : { ...base, path: where };
  });
}

/** "the TypeScript files", "all *.ts files". */
function globOf(place: string, quotes: readonly Quote[]): string | undefined {
  const kind = /^(?:all )?(?:the )?(?<kind>\S+) files$/i.exec(place.trim())?.groups?.kind;
  return kind && (globOfKind(kind) ?? (kind.includes('*') ? unmask(kind, quotes) : undefined));
}
