// Matches paths and model names against globs with .gitignore syntax and braces. Does not build regular expressions from globs: a
// pattern such as `*a*a*a*ab` would cause exponential backtracking.
import { Fault } from '../base/index.ts';

const MAX_ALTERNATIVES = 1000;
const MAX_PATTERN_LENGTH = 1000;
/** Characters of all alternatives together. Testing one path takes at most this number times the length of the path. */
const MAX_TOTAL_LENGTH = 5000;

export interface GlobOptions {
  /** Whether a slash is an ordinary character, as in the names of models. The glob is then matched against the whole text. */
  readonly isSlashOrdinary?: boolean;
}

/**
 * `*` and `?` match within one folder, `**` matches across folders, `{a,b}` and `[a-z]` are alternatives, `\` escapes the
 * next character. A glob without a slash is matched against the base name, one with a slash against the whole path. A dot at
 * the start of a name is an ordinary character. Throws a Fault when the pattern is invalid or too long.
 */
export function compileGlob(pattern: string, { isSlashOrdinary = false }: GlobOptions = {}): (path: string) => boolean {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    const sizes = `${pattern.length} characters, at most ${MAX_PATTERN_LENGTH}`;
    throw new Fault('tool_failed', `Pattern too long: ${sizes}. Use a shorter one or search in a subfolder`);
  }
  const globs = expandBraces(pattern);
  if (globs.join('').length > MAX_TOTAL_LENGTH) throw createBraceFault(pattern);
  const alternatives = globs.map((glob) => ({
    isWhole: isSlashOrdinary || glob.includes('/'),
    matches: createMatcher(
      isSlashOrdinary ? parseText(glob, pattern) : parsePath(glob.replace(/^(?:\.?\/)+/, ''), pattern),
    ),
  }));
  return (path) => {
    const baseName = path.slice(path.lastIndexOf('/') + 1);
    return alternatives.some(({ isWhole, matches }) => matches(isWhole ? path : baseName));
  };
}

function createBraceFault(pattern: string): Fault {
  return new Fault('tool_failed', `Too many braces in ${pattern}`);
}

/** Expands all braces, including nested ones. */
function expandBraces(pattern: string): string[] {
  const expanded: string[] = [];
  const pending = [pattern];
  for (let glob = pending.pop(); glob !== undefined; glob = pending.pop()) {
    const brace = expandFirstBrace(glob);
    if (brace) pending.push(...brace);
    else expanded.push(glob);
    if (pending.length + expanded.length > MAX_ALTERNATIVES) throw createBraceFault(pattern);
  }
  return expanded;
}

/** Expands the first outermost brace. `undefined` when there is no closed brace. */
function expandFirstBrace(glob: string): string[] | undefined {
  const starts: number[] = [];
  let depth = 0;
  for (const { 0: token, index } of glob.matchAll(/\\.|[{},]/gsu)) {
    if (token === '{') depth += 1;
    if (depth === 1 && (token === '{' || token === ',')) starts.push(index);
    if (token !== '}' || depth === 0) continue;
    depth -= 1;
    if (depth > 0) continue;
    const ends = [...starts.slice(1), index];
    return starts.map((start, i) => glob.slice(0, starts[0]) + glob.slice(start + 1, ends[i]) + glob.slice(index + 1));
  }
  return undefined;
}

/** One state of the automaton. */
type GlobStep =
  /** Exactly this character. */
  | { kind: 'literal'; character: string }
  /** One character of a set. */
  | { kind: 'one'; accepts(character: string): boolean }
  /** Any number of characters. */
  | { kind: 'many'; accepts(character: string): boolean }
  /** Any number of folders, each with its slash; this state is at the start of a folder name. The step `inFolder` follows. */
  | { kind: 'folders' }
  | { kind: 'inFolder' };

/** Groups: folders (`**` and a slash), rest (`**` as the last name), stars, class. Two stars beside other characters are one star. */
const TOKEN =
  /(?<![^/])(?<folders>\*\*\/)|(?<![^/])(?<rest>\*\*)$|(?<stars>\*+)|(?<class>\[[!^]?\]?(?:\\.|[^\]\\])*\])|\\.|./gsu;

const acceptAny = () => true;
const acceptNonSlash = (character: string) => character !== '/';

function parsePath(glob: string, pattern: string): GlobStep[] {
  return [...glob.matchAll(TOKEN)].flatMap((match): GlobStep[] => {
    const { folders, rest } = match.groups ?? {};
    if (folders) return [{ kind: 'folders' }, { kind: 'inFolder' }];
    if (!rest) return [parseToken(match, pattern, acceptNonSlash)];
    return [
      { kind: 'one', accepts: acceptAny },
      { kind: 'many', accepts: acceptAny },
    ];
  });
}

function parseText(glob: string, pattern: string): GlobStep[] {
  return [...glob.matchAll(TOKEN)].map((match) => parseToken(match, pattern, acceptAny));
}

/** `accepts`: the characters that wildcards and classes can match. */
function parseToken(
  { 0: token, groups }: RegExpMatchArray,
  pattern: string,
  accepts: (character: string) => boolean,
): GlobStep {
  if (groups?.stars) return { kind: 'many', accepts };
  if (token === '?') return { kind: 'one', accepts };
  const isMember = groups?.class && parseCharacterClass(token, pattern);
  if (isMember) return { kind: 'one', accepts: (character) => accepts(character) && isMember(character) };
  return { kind: 'literal', character: token.startsWith('\\') && token.length > 1 ? token.slice(1) : token };
}

function parseCharacterClass(token: string, pattern: string): (character: string) => boolean {
  const isNegative = token[1] === '!' || token[1] === '^';
  const members = token.slice(isNegative ? 2 : 1, -1).replace(/\\(.)|[[\]\\^]/gsu, escapeMember);
  try {
    // Safe as a regular expression: one character class without repetition.
    const expression = new RegExp(`^[${isNegative ? '^' : ''}${members}]$`, 'u');
    return (character) => expression.test(character);
  } catch (cause) {
    throw new Fault('tool_failed', `Invalid pattern: ${pattern}`, { cause });
  }
}

function escapeMember(match: string, escaped: string = match): string {
  return /[[\]\\^-]/.test(escaped) ? `\\${escaped}` : escaped;
}

/** Simulates all states at once: every character of the path visits every step at most once. */
function createMatcher(steps: readonly GlobStep[]): (text: string) => boolean {
  let current = new StateSet(steps);
  let next = new StateSet(steps);
  return (text) => {
    current.clear();
    current.add(0);
    for (const character of text) {
      next.clear();
      for (let i = 0; i < current.count; i += 1) next.advance(current.list[i] as number, character);
      if (next.count === 0) return false;
      [current, next] = [next, current];
    }
    return current.has(steps.length);
  };
}

/** The active steps. The index after the last step is the accepting state. */
class StateSet {
  readonly #steps: readonly GlobStep[];
  readonly #isActive: Uint8Array;
  readonly list: Uint16Array;
  count = 0;

  constructor(steps: readonly GlobStep[]) {
    this.#steps = steps;
    this.#isActive = new Uint8Array(steps.length + 1);
    this.list = new Uint16Array(steps.length + 1);
  }

  has(at: number): boolean {
    return this.#isActive[at] === 1;
  }

  clear(): void {
    for (let i = 0; i < this.count; i += 1) this.#isActive[this.list[i] as number] = 0;
    this.count = 0;
  }

  /** Adds a step and the steps that are reachable from it without consuming a character. */
  add(at: number): void {
    for (let step = at; this.#isActive[step] === 0; ) {
      this.#isActive[step] = 1;
      this.list[this.count] = step;
      this.count += 1;
      const kind = this.#steps[step]?.kind;
      if (kind === 'many') step += 1;
      else if (kind === 'folders') step += 2;
    }
  }

  /** Adds the steps that `character` leads to from the step `at`. */
  advance(at: number, character: string): void {
    const step = this.#steps[at];
    switch (step?.kind) {
      case 'literal':
        if (step.character === character) this.add(at + 1);
        return;
      case 'many':
        if (step.accepts(character)) this.add(at);
        return;
      case 'one':
        if (step.accepts(character)) this.add(at + 1);
        return;
      case 'folders':
        if (character !== '/') this.add(at + 1);
        return;
      case 'inFolder':
        this.add(character === '/' ? at - 1 : at);
    }
  }
}
