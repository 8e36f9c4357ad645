// Scores how well a query matches a text: equal, prefix, part of the text, or its letters in the same order.

const EQUAL = 1000;
const PREFIX = 900;
const PART_AT_WORD_START = 800;
const PART = 700;
/** Less than every score of a contiguous match. */
const MAX_SCATTERED = 600;
const WORD_START_BONUS = 20;
const CONTIGUOUS_BONUS = 10;
/** The name of a file is more important than its folders. */
const FILE_NAME_BONUS = 100;
const MAX_LENGTH_PENALTY = 50;

/** Both texts must be in lower case. `undefined` when the query does not match. A higher score is better. */
export function scoreMatch(query: string, text: string): number | undefined {
  if (query === '') return 0;
  const lengthPenalty = Math.min(MAX_LENGTH_PENALTY, text.length - query.length);
  const at = text.indexOf(query);
  if (at < 0) return scoreScattered(query, text);
  if (query.length === text.length) return EQUAL;
  const base = at === 0 ? PREFIX : isWordStart(text, at) ? PART_AT_WORD_START : PART;
  return base - lengthPenalty;
}

/** As `scoreMatch`, for a path with slashes. A folder ends with a slash. */
export function scorePath(query: string, path: string): number | undefined {
  const whole = scoreMatch(query, path);
  if (whole === undefined || query.includes('/')) return whole;
  const name = scoreMatch(query, path.slice(path.lastIndexOf('/', path.length - 2) + 1));
  return name === undefined ? whole : Math.max(whole, name + FILE_NAME_BONUS);
}

/** The letters of the query, each after the previous one. */
function scoreScattered(query: string, text: string): number | undefined {
  let score = 0;
  let previous = -1;
  for (const letter of query) {
    const at = text.indexOf(letter, previous + 1);
    if (at < 0) return undefined;
    if (at === previous + 1 && previous >= 0) score += CONTIGUOUS_BONUS;
    else if (isWordStart(text, at)) score += WORD_START_BONUS;
    else score -= Math.min(MAX_LENGTH_PENALTY, at - previous);
    previous = at;
  }
  return Math.min(MAX_SCATTERED, score - Math.min(MAX_LENGTH_PENALTY, text.length - query.length));
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || '/-_.: '.includes(text[at - 1] ?? '');
}
