// Decides whether a relative path fits a glob, spelled as .gitignore files spell them. Pure.
// No regular expression is built from a glob: `*a*a*a*ab` would make it try every way to share out the letters between the stars.
import { Fault } from '../base/index.ts';

const MOST_ALTERNATIVES = 1000;
const LONGEST_PATTERN = 1000;
/** Characters of all alternatives together. Testing one path takes at most this number times the length of the path. */
const LONGEST_ALTERNATIVES = 5000;

/**
 * `*` and `?` stay within one folder, `**` crosses them, `{a,b}` and `[a-z]` choose, `\` takes the next letter as it is.
 * Without a slash the base name decides, anywhere; with one, the whole path from the top.
 */
export function compileGlob(pattern: string): (path: string) => boolean {
  if (pattern.length > LONGEST_PATTERN) {
    const sizes = `${pattern.length} characters, at most ${LONGEST_PATTERN}`;
    throw new Fault('tool_failed', `Pattern too long: ${sizes}. Use a shorter one or search in a subfolder`);
  }
  const globs = alternatives(pattern);
  if (globs.join('').length > LONGEST_ALTERNATIVES) throw tooManyBraces(pattern);
  const tests = globs.map((glob) => ({
    hasSlash: glob.includes('/'),
    steps: stepsOf(glob.startsWith('/') ? glob.slice(1) : glob, pattern),
  }));
  return (path) => {
    const whole = Array.from(path);
    const name = whole.slice(whole.lastIndexOf('/') + 1);
    return tests.some(({ hasSlash, steps }) => fits(steps, hasSlash ? whole : name));
  };
}

function tooManyBraces(pattern: string): Fault {
  return new Fault('tool_failed', `Too many braces in ${pattern}`);
}

/** Every way to choose one of each brace, braces within braces included. */
function alternatives(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let glob = open.pop(); glob !== undefined; glob = open.pop()) {
    const brace = firstBrace(glob);
    if (brace) open.push(...brace);
    else done.push(glob);
    if (open.length + done.length > MOST_ALTERNATIVES) throw tooManyBraces(pattern);
  }
  return done;
}

/** The pattern once per choice of its first outermost brace; `undefined` when no brace is closed. */
function firstBrace(glob: string): string[] | undefined {
  const cuts: number[] = [];
  let depth = 0;
  for (const { 0: token, index } of glob.matchAll(/\\.|[{},]/gsu)) {
    if (token === '{') depth += 1;
    if (depth === 1 && (token === '{' || token === ',')) cuts.push(index);
    if (token !== '}' || depth === 0) continue;
    depth -= 1;
    if (depth > 0) continue;
    const ends = [...cuts.slice(1), index];
    return cuts.map((cut, i) => glob.slice(0, cuts[0]) + glob.slice(cut + 1, ends[i]) + glob.slice(index + 1));
  }
  return undefined;
}

/** One state of the matcher: what a character of the path may be here, and where it leads. */
type Step =
  /** This character. */
  | { kind: 'letter'; letter: string }
  /** One character of several. */
  | { kind: 'one'; accepts(letter: string): boolean }
  /** Any number of characters, slashes included or not. */
  | { kind: 'many'; slashes: boolean }
  /** Any number of folders, each with its slash: here at the start of one. The step `inFolder` follows. */
  | { kind: 'folders' }
  | { kind: 'inFolder' };

const TOKEN = /(?<![^/])\*\*\/|(?<![^/])\*\*$|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|./gsu;

const anything = () => true;
const noSlash = (letter: string) => letter !== '/';

function stepsOf(glob: string, pattern: string): Step[] {
  return [...glob.matchAll(TOKEN)].flatMap(([token]): Step[] => {
    if (token === '**/') return [{ kind: 'folders' }, { kind: 'inFolder' }];
    if (token === '**') {
      return [
        { kind: 'one', accepts: anything },
        { kind: 'many', slashes: true },
      ];
    }
    if (token.startsWith('*')) return [{ kind: 'many', slashes: false }];
    if (token === '?') return [{ kind: 'one', accepts: noSlash }];
    if (token.startsWith('[') && token.length > 1) return [{ kind: 'one', accepts: classOf(token, pattern) }];
    const wanted = token.startsWith('\\') && token.length > 1 ? token.slice(1) : token;
    return [{ kind: 'letter', letter: wanted }];
  });
}

function classOf(token: string, pattern: string): (letter: string) => boolean {
  const isNegative = token[1] === '!' || token[1] === '^';
  const members = token.slice(isNegative ? 2 : 1, -1).replace(/[[\]\\^]/g, '\\$&');
  try {
    // One class without repetition, tried on one character.
    const expression = new RegExp(`^[${isNegative ? '^' : ''}${members}]$`, 'u');
    return (letter) => letter !== '/' && expression.test(letter);
  } catch (cause) {
    throw new Fault('tool_failed', `Invalid pattern: ${pattern}`, { cause });
  }
}

/** Follows every way through the steps at once: each character of the path looks at each step at most once. */
function fits(steps: readonly Step[], letters: readonly string[]): boolean {
  let now = new States(steps);
  let next = new States(steps);
  now.enter(0);
  for (const letter of letters) {
    next.clear();
    for (let i = 0; i < now.count; i += 1) next.follow(now.list[i] as number, letter);
    if (next.count === 0) return false;
    [now, next] = [next, now];
  }
  return now.has(steps.length);
}

/** The steps at which the path may be; the number behind the last step is the end of the pattern. */
class States {
  readonly #steps: readonly Step[];
  readonly #isIn: Uint8Array;
  readonly list: Uint16Array;
  count = 0;

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
    this.#isIn = new Uint8Array(steps.length + 1);
    this.list = new Uint16Array(steps.length + 1);
  }

  has(at: number): boolean {
    return this.#isIn[at] === 1;
  }

  clear(): void {
    for (let i = 0; i < this.count; i += 1) this.#isIn[this.list[i] as number] = 0;
    this.count = 0;
  }

  /** Adds a step, and those behind it that can be reached without a character. */
  enter(at: number): void {
    for (let step = at; this.#isIn[step] === 0; ) {
      this.#isIn[step] = 1;
      this.list[this.count] = step;
      this.count += 1;
      const kind = this.#steps[step]?.kind;
      if (kind === 'many') step += 1;
      else if (kind === 'folders') step += 2;
    }
  }

  /** Adds where a character leads from a step. */
  follow(at: number, letter: string): void {
    const step = this.#steps[at];
    switch (step?.kind) {
      case 'letter':
        if (step.letter === letter) this.enter(at + 1);
        return;
      case 'many':
        if (step.slashes || letter !== '/') this.enter(at);
        return;
      case 'one':
        if (step.accepts(letter)) this.enter(at + 1);
        return;
      case 'folders':
        if (letter !== '/') this.enter(at + 1);
        return;
      case 'inFolder':
        this.enter(letter === '/' ? at - 1 : at);
    }
  }
}
