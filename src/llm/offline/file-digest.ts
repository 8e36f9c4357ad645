// Describes a file by rule: size, headings, declared names and first sentences.
import { isRecord } from '../../base/index.ts';
import { formatCode, formatList } from './answer-texts.ts';
import { abbreviate, countLines, formatCount, truncate } from './text-format.ts';

const MAX_ITEMS = 12;
const MAX_FILE_CHARS = 200_000;
const MAX_LINE_CHARS = 500;

export function digestFile(path: string, content: string, isWhole: boolean): string {
  const text = truncate(content, MAX_FILE_CHARS);
  const words = text.match(/\S+/g)?.length ?? 0;
  const subject =
    isWhole && text.length === content.length ? formatCode(path) : `The part of ${formatCode(path)} that I read`;
  const size = `${subject} has ${formatCount(countLines(text), 'line')} and ${formatCount(words, 'word')}.`;
  const body = /\.jsonc?$/i.test(path) ? digestJson(text) : isProse(path) ? digestProse(text) : digestCode(text);
  const origin = 'This summary is extracted by rule; no language model read the file.';
  return [size, ...body, origin].join('\n\n');
}

function isProse(path: string): boolean {
  return /\.(?:md|markdown|mdx|txt|rst|adoc)$/i.test(path) || !/\.\w+$/.test(path);
}

function digestProse(text: string): string[] {
  const { headings, paragraphs } = parseProse(text);
  const parts: string[] = [];
  if (headings.length > 0) parts.push(`Headings:\n\n${formatBullets(headings)}`);
  if (paragraphs.length > 0)
    parts.push(`First sentences of its paragraphs:\n\n${formatBullets(paragraphs.map(takeFirstSentence))}`);
  return parts;
}

/** Returns Markdown headings and paragraphs, without code blocks. */
function parseProse(text: string): { headings: string[]; paragraphs: string[] } {
  const headings: string[] = [];
  const paragraphs: string[] = [];
  let fence: string | undefined;
  let inParagraph = false;
  for (const fullLine of text.split('\n')) {
    const line = truncate(fullLine, MAX_LINE_CHARS);
    const fenceMark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fenceMark) fence = fence === undefined ? fenceMark : line.trim().startsWith(fence) ? undefined : fence;
    const heading = fence === undefined ? parseHeading(line) : undefined;
    if (heading) headings.push(heading);
    const isParagraphText =
      fence === undefined && !fenceMark && !heading && /^[\p{L}\p{N}*_“"'(]/u.test(line) && !/^[*-]\s/.test(line);
    if (isParagraphText && inParagraph) paragraphs.push(`${paragraphs.pop()} ${line.trim()}`);
    else if (isParagraphText) paragraphs.push(line.trim());
    inParagraph = isParagraphText;
  }
  return { headings, paragraphs: paragraphs.filter((paragraph) => /\s/.test(paragraph)) };
}

function parseHeading(line: string): string | undefined {
  const [start] = /^#{1,6}\s+/.exec(line) ?? [];
  if (start === undefined) return undefined;
  return line
    .slice(start.length)
    .replace(/(?<!#)#+$/, '')
    .trimEnd();
}

function takeFirstSentence(paragraph: string): string {
  return /^.+?[.!?](?=\s|$)/u.exec(paragraph)?.[0] ?? paragraph;
}

function digestJson(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return ['It is not plain JSON, so I cannot list its keys.'];
  }
  if (Array.isArray(value)) return [`It is a JSON array of ${formatCount(value.length, 'item')}.`];
  if (!isRecord(value)) return ['It is a single JSON value.'];
  const entries = Object.entries(value).map(([key, value]) => {
    const keyCount = isRecord(value) ? formatCount(Object.keys(value).length, 'key') : undefined;
    return `${formatCode(key)}: ${keyCount ?? (Array.isArray(value) ? formatCount(value.length, 'item') : abbreviate(JSON.stringify(value)))}`;
  });
  return [`Its top-level keys:\n\n${formatBullets(entries)}`];
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
  if (comment) parts.push(`Its first comment: ${abbreviate(comment, 200)}`);
  if (imports > 0) parts.push(`It has ${formatCount(imports, 'import')}.`);
  if (names.length > 0) parts.push(`It declares ${formatList(limitItems(names.map(formatCode)))}.`);
  return parts;
}

function formatBullets(items: readonly string[]): string {
  return limitItems(items)
    .map((item) => `- ${abbreviate(item, 200)}`)
    .join('\n');
}

function limitItems(items: readonly string[]): readonly string[] {
  return items.length <= MAX_ITEMS ? items : [...items.slice(0, MAX_ITEMS), `${items.length - MAX_ITEMS} more`];
}
