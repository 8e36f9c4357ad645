// First floor, llm: JSON as people write it. Plain JSON costs nothing extra; comments load the larger parser.
import { Fault } from '../base/index.ts';

/** Also with comments and trailing commas. Throws a Fault that names the line, and nothing of what stands there. */
export async function parseJsonc(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    const { parse } = await import('jsonc-parser');
    const errors: { offset: number }[] = [];
    const value: unknown = parse(text, errors as never, { allowTrailingComma: true });
    const first = errors[0];
    if (!first) return value;
    throw new Fault('config', `line ${text.slice(0, first.offset).split('\n').length} is not JSON`);
  }
}
