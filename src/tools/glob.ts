// Matches relative paths against globs with .gitignore syntax. Does not build regular expressions from globs: a pattern such as
// `*a*a*a*ab` would cause exponential backtracking.
import { Fault } from '../base/index.ts';

const MAX_ALTERNATIVES = 1000;
const MAX_PATTERN_LENGTH = 1000;
/** Characters of all alternatives together. Testing one path takes at most this number times the length of the path. */
const MAX_TOTAL_LENGTH = 5000;

/**
 * `*` and `?` match within one folder, `**` matches across folders, `{a,b}` and `[a-z]` are alternatives, `\` escapes the
 * next character. A glob without a slash is matched against the base name, one with a slash against the whole path.
 */
export function compileGlob(pattern: string): (path: string) => boolean {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    const sizes = `${pattern.length} characters, at most ${MAX_PATTERN_LENGTH}`;
    throw new Fault('tool_failed', `Pattern too long: ${sizes}. Use a shorter one or search in a subfolder`);
  }
  const globs = expandBraces(pattern);
  if (globs.join('').length > MAX_TOTAL_LENGTH) throw createBraceFault(pattern);
  const alternatives = globs.map((glob) => ({
    hasSlash: glob.includes('/'),
    steps: parseGlob(glob.startsWith('/') ? glob.slice(1) : glob, pattern),
  }));
  return (path) => {
    const characters = Array.from(path);
    const baseName = characters.slice(characters.lastIndexOf('/') + 1);
    return alternatives.some(({ hasSlash, steps }) => matchSteps(steps, hasSlash ? characters : baseName));
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
  | { kind: 'many'; includesSlashes: boolean }
  /** Any number of folders, each with its slash; this state is at the start of a folder name. The step `inFolder` follows. */
  | { kind: 'folders' }
  | { kind: 'inFolder' };

const TOKEN = /(?<![^/])\*\*\/|(?<![^/])\*\*$|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|./gsu;

const acceptAny = () => true;
const acceptNonSlash = (character: string) => character !== '/';

function parseGlob(glob: string, pattern: string): GlobStep[] {
  return [...glob.matchAll(TOKEN)].flatMap(([token]): GlobStep[] => {
    if (token === '**/') return [{ kind: 'folders' }, { kind: 'inFolder' }];
    if (token === '**') {
      return [
        { kind: 'one', accepts: acceptAny },
        { kind: 'many', includesSlashes: true },
      ];
    }
    if (token.startsWith('*')) return [{ kind: 'many', includesSlashes: false }];
    if (token === '?') return [{ kind: 'one', accepts: acceptNonSlash }];
    if (token.startsWith('[') && token.length > 1)
      return [{ kind: 'one', accepts: parseCharacterClass(token, pattern) }];
    const character = token.startsWith('\\') && token.length > 1 ? token.slice(1) : token;
    return [{ kind: 'literal', character }];
  });
}

function parseCharacterClass(token: string, pattern: string): (character: string) => boolean {
  const isNegative = token[1] === '!' || token[1] === '^';
  const members = token.slice(isNegative ? 2 : 1, -1).replace(/[[\]\\^]/g, '\\$&');
  try {
    // Safe as a regular expression: one character class without repetition.
    const expression = new RegExp(`^[${isNegative ? '^' : ''}${members}]$`, 'u');
    return (character) => character !== '/' && expression.test(character);
  } catch (cause) {
    throw new Fault('tool_failed', `Invalid pattern: ${pattern}`, { cause });
  }
}

/** Simulates all states at once: every character of the path visits every step at most once. */
function matchSteps(steps: readonly GlobStep[], characters: readonly string[]): boolean {
  let current = new StateSet(steps);
  let next = new StateSet(steps);
  current.add(0);
  for (const character of characters) {
    next.clear();
    for (let i = 0; i < current.count; i += 1) next.advance(current.list[i] as number, character);
    if (next.count === 0) return false;
    [current, next] = [next, current];
  }
  return current.has(steps.length);
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
        if (step.includesSlashes || character !== '/') this.add(at);
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
