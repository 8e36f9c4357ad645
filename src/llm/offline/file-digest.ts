// First floor, llm: what can be said of a file by rule: its size, its headings, its names, its first sentences. Pure.
import { isRecord } from '../../base/index.ts';
import { brief, countLines, cut, plural } from './cutting.ts';
import { code, series } from './wording.ts';

const MOST_ITEMS = 12;
const LONGEST_FILE = 200_000;
const LONGEST_LINE = 500;

export function digestFile(path: string, content: string, isWhole: boolean): string {
  const text = cut(content, LONGEST_FILE);
  const words = text.match(/\S+/g)?.length ?? 0;
  const subject = isWhole && text.length === content.length ? code(path) : `The part of ${code(path)} that I read`;
  const size = `${subject} has ${plural(countLines(text), 'line')} and ${plural(words, 'word')}.`;
  const body = /\.jsonc?$/i.test(path) ? digestJson(text) : isProse(path) ? digestProse(text) : digestCode(text);
  const origin = 'This is extracted by rule, not understood.';
  return [size, ...body, origin].join('\n\n');
}

function isProse(path: string): boolean {
  return /\.(?:md|markdown|mdx|txt|rst|adoc)$/i.test(path) || !/\.\w+$/.test(path);
}

function digestProse(text: string): string[] {
  const { headings, paragraphs } = readProse(text);
  const parts: string[] = [];
  if (headings.length > 0) parts.push(`Headings:\n\n${bullets(headings)}`);
  if (paragraphs.length > 0)
    parts.push(`It says, in its first sentences:\n\n${bullets(paragraphs.map(firstSentence))}`);
  return parts;
}

/** Headings of Markdown and the paragraphs of running text, code blocks left out. */
function readProse(text: string): { headings: string[]; paragraphs: string[] } {
  const headings: string[] = [];
  const paragraphs: string[] = [];
  let fence: string | undefined;
  let open = false;
  for (const whole of text.split('\n')) {
    const line = cut(whole, LONGEST_LINE);
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark) fence = fence === undefined ? mark : line.trim().startsWith(fence) ? undefined : fence;
    const heading = fence === undefined ? headingIn(line) : undefined;
    if (heading) headings.push(heading);
    const running =
      fence === undefined && !mark && !heading && /^[\p{L}\p{N}*_“"'(]/u.test(line) && !/^[*-]\s/.test(line);
    if (running && open) paragraphs.push(`${paragraphs.pop()} ${line.trim()}`);
    else if (running) paragraphs.push(line.trim());
    open = running;
  }
  return { headings, paragraphs: paragraphs.filter((paragraph) => /\s/.test(paragraph)) };
}

function headingIn(line: string): string | undefined {
  const [start] = /^#{1,6}\s+/.exec(line) ?? [];
  if (start === undefined) return undefined;
  return line
    .slice(start.length)
    .replace(/(?<!#)#+$/, '')
    .trimEnd();
}

function firstSentence(paragraph: string): string {
  return /^.+?[.!?](?=\s|$)/u.exec(paragraph)?.[0] ?? paragraph;
}

function digestJson(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return ['It is not plain JSON, so I cannot list its keys.'];
  }
  if (Array.isArray(value)) return [`It is a JSON array of ${plural(value.length, 'item')}.`];
  if (!isRecord(value)) return ['It is a single JSON value.'];
  const entries = Object.entries(value).map(([key, held]) => {
    const inside = isRecord(held) ? plural(Object.keys(held).length, 'key') : undefined;
    return `${code(key)}: ${inside ?? (Array.isArray(held) ? plural(held.length, 'item') : brief(JSON.stringify(held)))}`;
  });
  return [`Its top-level keys:\n\n${bullets(entries)}`];
}

const DECLARATION =
  /^\s{0,4}(?:export\s+)?(?:default\s+)?(?:pub\s+)?(?:async\s+)?(?:abstract\s+)?(?:function\*?|class|interface|type|enum|const|let|def|fn|func|struct|trait|impl|module)\s+([\p{L}_$][\p{L}\p{N}_$]*)/u;
const IMPORT = /^\s*(?:import\b|from\s+\S+\s+import\b|use\s+\S|#include\b|require\b)/;

function digestCode(text: string): string[] {
  const lines = text.split('\n');
  const names = [...new Set(lines.flatMap((line) => DECLARATION.exec(line)?.[1] ?? []))];
  const imports = lines.filter((line) => IMPORT.test(line)).length;
  const comment = lines.find((line) => /^\s*(?:\/\/|#(?!!)|\/?\*\*?\s|--\s)/.test(line))?.trim();
  const parts: string[] = [];
  if (comment) parts.push(`Its first comment: ${brief(comment, 200)}`);
  if (imports > 0) parts.push(`It has ${plural(imports, 'import')}.`);
  if (names.length > 0) parts.push(`It declares ${series(shortened(names.map(code)))}.`);
  return parts;
}

function bullets(items: readonly string[]): string {
  return shortened(items)
    .map((item) => `- ${brief(item, 200)}`)
    .join('\n');
}

function shortened(items: readonly string[]): readonly string[] {
  return items.length <= MOST_ITEMS ? items : [...items.slice(0, MOST_ITEMS), `${items.length - MOST_ITEMS} more`];
}
