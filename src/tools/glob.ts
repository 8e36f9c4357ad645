// First floor, tools: decides whether a relative path fits a glob, spelled as .gitignore files spell them. Pure.
import { Fault } from '../base/index.ts';

const MOST_ALTERNATIVES = 1000;

/**
 * `*` and `?` stay within one folder, `**` crosses them, `{a,b}` and `[a-z]` choose, `\` takes the next letter as it is.
 * Without a slash the base name decides, anywhere; with one, the whole path from the top.
 */
export function compileGlob(pattern: string): (path: string) => boolean {
  const tests = alternatives(pattern).map((glob) => {
    const expression = expressionOf(glob.replace(/^\//, ''), pattern);
    return glob.includes('/')
      ? (path: string) => expression.test(path)
      : (path: string) => expression.test(path.slice(path.lastIndexOf('/') + 1));
  });
  return (path) => tests.some((fits) => fits(path));
}

/** Every way to choose one of each brace, braces within braces included. */
function alternatives(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let glob = open.pop(); glob !== undefined; glob = open.pop()) {
    const brace = firstBrace(glob);
    if (brace) open.push(...brace);
    else done.push(glob);
    if (open.length + done.length > MOST_ALTERNATIVES) throw new Fault('tool_failed', `Too many braces in ${pattern}`);
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

const TOKEN = /(?<![^/])\*\*\/|(?<![^/])\*\*$|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|./gsu;

function expressionOf(glob: string, pattern: string): RegExp {
  try {
    return new RegExp(`^${[...glob.matchAll(TOKEN)].map(([token]) => translated(token)).join('')}$`, 'su');
  } catch (cause) {
    throw new Fault('tool_failed', `Invalid pattern: ${pattern}`, { cause });
  }
}

function translated(token: string): string {
  if (token === '**/') return '(?:[^/]+/)*';
  if (token === '**') return '.+';
  if (token.startsWith('*')) return '[^/]*';
  if (token === '?') return '[^/]';
  if (token.startsWith('[') && token.length > 1) return translatedClass(token);
  return escaped(token.length > 1 ? token.slice(token.startsWith('\\') ? 1 : 0) : token);
}

function translatedClass(token: string): string {
  const isNegative = /^\[[!^]/.test(token);
  const members = token.slice(isNegative ? 2 : 1, -1).replace(/[[\]\\^]/g, '\\$&');
  return isNegative ? `[^${members}/]` : `(?!/)[${members}]`;
}

function escaped(letter: string): string {
  return letter.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
