// Parses the YAML of frontmatter. Values that YAML rejects but that people write, such as `description: a: b`, are read as text.
import { Fault } from '../base/fault.ts';
import { isRecord } from '../base/json.ts';
import { Composer, type CST, type Document, isAlias, isMap, LineCounter, Parser, visit } from './vendor/yaml.ts';

/** Bounds the time that a crafted file can take: the parser creates one error object for each invalid character. */
const MAX_LENGTH = 32 * 1024;
/** The composer is recursive. Text that is nested too deeply does not throw there but ends the process. */
const MAX_DEPTH = 40;
/** An invalid line can hide later ones. */
const MAX_REPAIRS = 3;
/** The line after the opening `---`. */
const FIRST_LINE = 2;

const OPTIONS = {
  // Checking that keys are unique takes quadratic time.
  uniqueKeys: false,
  stringKeys: true,
  /** Tags of the core schema only: no dates, no binary data. */
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

interface Problem {
  /** Index of the line. */
  readonly line: number;
  readonly message: string;
}

interface ParsedYaml {
  readonly document: Document;
  readonly problems: readonly Problem[];
}

/** `yaml` is the text between the `---` lines. When a key occurs twice, the last one counts. Throws a Fault that names the line. */
export function parseYamlFields(yaml: string): Record<string, unknown> {
  if (yaml.length > MAX_LENGTH) {
    throw new Fault('config', `the text between the --- lines has ${yaml.length} characters, at most ${MAX_LENGTH}`);
  }
  const lines = yaml.split(/\r?\n/);
  let { document, problems } = parseYaml(lines);
  let repaired: readonly string[] = lines;
  for (let i = 0; i < MAX_REPAIRS && problems.length > 0; i += 1) {
    const before = repaired;
    repaired = repairLines(before, problems);
    if (repaired.every((line, at) => line === before[at])) break;
    ({ document, problems } = parseYaml(repaired));
  }
  const [problem] = problems;
  if (problem) throw createLineFault(problem, lines[problem.line] ?? '');
  const fields = toFields(document);
  if (!isRecord(fields)) throw new Fault('config', 'the fields between the --- lines must be `name: value` pairs');
  return fields;
}

function toFields(document: Document): unknown {
  if (document.contents === null) return {};
  if (!isMap(document.contents)) return undefined;
  try {
    return document.toJS();
  } catch (thrown) {
    // Too many aliases.
    throw new Fault('config', `invalid YAML: ${(thrown as Error).message}`, { cause: thrown });
  }
}

function parseYaml(lines: readonly string[]): ParsedYaml {
  const lineCounter = new LineCounter();
  const yaml = lines.join('\n');
  const tokens = [...new Parser(lineCounter.addNewLine).parse(yaml)];
  checkDepth(tokens);
  const composer = new Composer(OPTIONS);
  const [document, second] = [...composer.compose(tokens, true, yaml.length)] as [Document, ...Document[]];
  const problems: Problem[] = [];
  const addProblem = (position: number, message: string) =>
    problems.push({ line: lineCounter.linePos(position).line - 1, message });
  for (const { pos, message } of [...document.errors, ...document.warnings]) addProblem(pos[0], message);
  for (const { position, name } of findInvalidAliases(document))
    addProblem(position, `There is no anchor &${name} before the alias *${name}`);
  if (second) addProblem(second.range?.[0] ?? 0, 'A second document starts here');
  return { document, problems };
}

function checkDepth(tokens: readonly CST.Token[]): void {
  let level = tokens;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw new Fault('config', 'the text between the --- lines is nested too deeply');
    level = level.flatMap((token): CST.Token[] => {
      if (token.type === 'document') return token.value ? [token.value] : [];
      if (!('items' in token)) return [];
      return token.items.flatMap(({ key, value }) => [...(key ? [key] : []), ...(value ? [value] : [])]);
    });
  }
}

/** Aliases of unknown anchors, and aliases inside the node that they refer to, which would make the value cyclic. */
function findInvalidAliases(document: Document): { position: number; name: string }[] {
  const anchors = new Map<string, unknown>();
  const invalid: { position: number; name: string }[] = [];
  visit(document, {
    Node(_, node, path) {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return;
      }
      const target = anchors.get(node.source);
      if (target && !(path as readonly unknown[]).includes(target)) return;
      invalid.push({ position: node.range?.[0] ?? 0, name: node.source });
    },
  });
  return invalid;
}

function repairLines(lines: readonly string[], problems: readonly Problem[]): string[] {
  const repaired = [...lines];
  // Indentation by tabs is invalid. A tab counts as one space.
  for (const { line } of problems) repaired[line] = repaired[line]?.replace(/^[ \t]+/, spaceOut) ?? '';
  for (const line of new Set(problems.map(({ line }) => line))) {
    const text = repaired[line] ?? '';
    // A problem can be reported in a line after its cause.
    if (parseYaml([text.trim()]).problems.length > 0) repaired[line] = quoteValue(text);
  }
  return repaired;
}

function spaceOut(blanks: string): string {
  return ' '.repeat(blanks.length);
}

/** Quotes the value of a line that is not valid YAML, unless quotes or brackets show that another meaning was intended. */
function quoteValue(line: string): string {
  const prefix = /^ *(?:-[ \t]+)*/.exec(line)?.[0] ?? '';
  const rest = line.slice(prefix.length);
  const colon = rest.search(/:[ \t]/);
  const key = colon > 0 ? `${quoteKey(rest.slice(0, colon))}: ` : '';
  const value = rest.slice(colon > 0 ? colon + 1 : 0).trim();
  if (key === '' && !prefix.includes('-')) return line;
  const text = value.replace(/(^|[ \t])#.*$/s, '').trim();
  const words = /^\[([^[\]{}"']*)\]$/.exec(text)?.[1];
  if (words !== undefined) return prefix + key + JSON.stringify(splitWords(words));
  const isOther = text === '' || /^(?:["'{]|[|>][-+\d]*$|\[[^\]]*$)/.test(text);
  return isOther ? line : prefix + key + JSON.stringify(text);
}

/** Quotes a key that starts like an alias, a tag, a block or another construct. */
function quoteKey(key: string): string {
  return /^[*&!|>%@`,?]/.test(key) ? JSON.stringify(key.trim()) : key;
}

function splitWords(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function createLineFault({ line, message }: Problem, text: string): Fault {
  return new Fault('config', `line ${line + FIRST_LINE} is not valid YAML (${message}): ${text.trim()}`);
}
