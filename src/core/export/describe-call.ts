// Describes a tool call: its arguments as one line and as a list. Works for every tool, also for unknown ones.
import type { ToolCall } from '../../protocol/index.ts';
import { escapeHtml } from './escape.ts';
import { countLines, formatCount, shortenLine } from './format.ts';
import { renderDetails } from './html-blocks.ts';
import type { MarkupRenderers } from './markup-batch.ts';

export interface CallDescription {
  /** The first argument that is a text: the command, the path, the pattern. Not escaped. */
  readonly subject: string;
  /** The other arguments, such as `path: src`. Not escaped. */
  readonly others: readonly string[];
  /** Whether `subject` and `others` contain all arguments completely. */
  readonly isComplete: boolean;
  /** Whether the subject is the path of a file. */
  readonly isAboutFile: boolean;
}

const MAX_SUBJECT_LENGTH = 120;
const MAX_VALUE_LENGTH = 48;
const MAX_OTHERS = 4;
const FILE_KEYS = new Set(['path', 'file', 'file_path', 'filePath']);

export function describeCall({ arguments: args }: Pick<ToolCall, 'arguments'>): CallDescription {
  const entries = Object.entries(args).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const main = entries.find(([, value]) => typeof value === 'string' && value.trim() !== '');
  const mainText = String(main?.[1] ?? '');
  const subject = shortenLine(mainText.trimStart().split('\n', 1)[0] ?? '', MAX_SUBJECT_LENGTH);
  const rest = entries.filter((entry) => entry !== main);
  const others = rest.slice(0, MAX_OTHERS).map(([key, value]) => `${shortenLine(key, 30)}: ${describeValue(value)}`);
  const isComplete =
    subject === mainText &&
    others.length === rest.length &&
    rest.every(([key, value], at) => others[at] === `${key}: ${String(value)}`);
  return { subject, others, isComplete, isAboutFile: FILE_KEYS.has(main?.[0] ?? '') };
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return formatCount(value.length, 'item');
  if (typeof value === 'object') return formatCount(Object.keys(value ?? {}).length, 'field');
  const text = String(value);
  return text.includes('\n') ? formatCount(countLines(text), 'line') : shortenLine(text, MAX_VALUE_LENGTH);
}

/** The complete arguments, folded. Texts keep their line breaks. */
export function renderArguments({ arguments: args }: ToolCall, render: MarkupRenderers): string {
  const entries = Object.entries(args);
  const { path, file_path } = args;
  const language = findLanguage(path) ?? findLanguage(file_path);
  const rows = entries.map(
    ([key, value]) => `<dt>${escapeHtml(key)}</dt><dd>${renderValue(value, language, render)}</dd>`,
  );
  const names = entries.map(([key, value]) => describeField(key, value));
  const title = `${formatCount(entries.length, 'argument')} · ${shortenLine(names.join(', '), 100)}`;
  return renderDetails(title, `<dl class="arguments">${rows.join('')}</dl>`);
}

function describeField(key: string, value: unknown): string {
  const isLongText = typeof value === 'string' && value.includes('\n');
  return isLongText ? `${key} (${formatCount(countLines(value), 'line')})` : key;
}

function renderValue(value: unknown, language: string | undefined, render: MarkupRenderers): string {
  if (typeof value === 'string') {
    if (!value.includes('\n') && value.length <= MAX_SUBJECT_LENGTH) return `<code>${escapeHtml(value)}</code>`;
    return `<pre class="code"><code>${render.code(value, language)}</code></pre>`;
  }
  if (typeof value !== 'object' || value === null) return `<code>${escapeHtml(String(value))}</code>`;
  return `<pre class="code"><code>${render.code(JSON.stringify(value, null, 2), 'json')}</code></pre>`;
}

/** The extension of the file that the call is about: the highlighter knows most of them as names of languages. */
function findLanguage(path: unknown): string | undefined {
  return typeof path === 'string' ? /\.(\w{1,10})$/.exec(path.slice(-12))?.[1]?.toLowerCase() : undefined;
}
