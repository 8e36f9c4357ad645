// Parses JSON with comments, the format of settings files. Plain JSON needs only JSON.parse; comments and errors load jsonc-parser.
import { Fault } from '../base/index.ts';

/** Parses JSON, or JSON with comments and trailing commas. An empty text is an empty object. Throws a Fault that names the line, and the file if it is given. */
export async function parseJsonc(text: string, file?: string): Promise<unknown> {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    const { parse, printParseErrorCode } = await import('jsonc-parser');
    const errors: { error: number; offset: number; length: number }[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    const first = errors[0];
    if (!first) return value;
    const problem = printParseErrorCode(first.error)
      .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase();
    const place = `line ${lineNumberAt(text, first.offset)}`;
    throw new Fault('config', `${file === undefined ? place : `${file}, ${place}`} is not JSON (${problem})`);
  }
}

/** The 1-based line of the value at `path`. */
export async function findKeyLine(text: string, path: readonly string[]): Promise<number> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const tree = parseTree(text);
  const node = tree && findNodeAtLocation(tree, [...path]);
  return lineNumberAt(text, node?.parent?.offset ?? node?.offset ?? 0);
}

function lineNumberAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
