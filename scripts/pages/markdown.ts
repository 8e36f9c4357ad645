// Documents: the few pieces of Markdown that every page is made of.
import { toFittedJson } from './json-text.ts';

const NOTE = '<!-- Generated from the declarations by `npm run docs`. Edit those, not this. -->';

/** Paragraphs with one empty line between them; absent ones leave no gap. */
export function page(...paragraphs: readonly (string | undefined)[]): string {
  return `${[NOTE, ...paragraphs].filter(Boolean).join('\n\n')}\n`;
}

export function section(...paragraphs: readonly (string | undefined)[]): string {
  return paragraphs.filter(Boolean).join('\n\n');
}

export function frames(...values: readonly unknown[]): string {
  return `\`\`\`json\n${values.map((value) => toFittedJson(value)).join('\n')}\n\`\`\``;
}
