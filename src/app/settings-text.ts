// The hall: the text of a settings file. Plain JSON costs nothing extra; comments and complaints load the larger parser.
import { Fault } from '../base/index.ts';

/** JSON, or JSON with comments and trailing commas. An empty text holds no settings. Throws a Fault that names the line. */
export async function parseSettings(text: string): Promise<unknown> {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    const { parse, printParseErrorCode } = await import('jsonc-parser');
    const errors: { error: number; offset: number; length: number }[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    const first = errors[0];
    if (!first) return value;
    const what = printParseErrorCode(first.error)
      .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase();
    throw new Fault('config', `line ${lineAt(text, first.offset)} is not JSON (${what})`);
  }
}

/** The 1-based line on which the value at `path` stands. */
export async function lineOfKey(text: string, path: readonly string[]): Promise<number> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const tree = parseTree(text);
  const node = tree && findNodeAtLocation(tree, [...path]);
  return lineAt(text, node?.parent?.offset ?? node?.offset ?? 0);
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
