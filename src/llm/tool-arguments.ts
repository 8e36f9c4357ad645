// First floor, llm: the arguments of one tool call while their JSON arrives in pieces. Knows neither tool nor provider.
import { Allow, parse } from 'partial-json';
import { isRecord, messageOf } from '../base/index.ts';
import { malformed } from './http/failure.ts';

/** How much the text must have grown before it is read again: the reading of all prefixes then costs five times the text. */
const GROWTH = 1.25;

// Half a string shows its beginning; half a number or half a word would show something else than what is meant.
const SHOWN = Allow.STR | Allow.OBJ | Allow.ARR;

/** The reader of half JSON needs time that grows with the square of the nesting. */
const DEEPEST = 100;

/** What can be seen of JSON that is still arriving. Throws where there is nothing to see, or it is nested too deeply. */
export function parsePartialJson(text: string): unknown {
  if (isDeeperThan(text, DEEPEST)) throw new Error(`JSON is nested deeper than ${DEEPEST} levels`);
  return parse(text, SHOWN);
}

function isDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (inString && letter === '\\') at += 1;
    else if (letter === '"') inString = !inString;
    else if (!inString && (letter === '[' || letter === '{')) depth += 1;
    else if (!inString && (letter === ']' || letter === '}')) depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

export class ToolArguments {
  readonly #tool: string;
  #text = '';
  #read = 0;
  #whole: Record<string, unknown> | undefined;

  constructor(tool: string) {
    this.#tool = tool;
  }

  /** What can be seen of the arguments now, as a new object; `undefined` while it is not worth another look. */
  append(piece: string): Record<string, unknown> | undefined {
    this.#text += piece;
    this.#whole = undefined;
    if (piece === '' || this.#text.length < this.#read * GROWTH) return undefined;
    this.#read = this.#text.length;
    try {
      const seen: unknown = parsePartialJson(this.#text);
      return isRecord(seen) ? seen : undefined;
    } catch {
      return undefined;
    }
  }

  get isWhole(): boolean {
    try {
      this.whole();
      return true;
    } catch {
      return false;
    }
  }

  /** Throws when the text is no JSON object. No text at all means no arguments. */
  whole(): Record<string, unknown> {
    this.#whole ??= readWhole(this.#tool, this.#text);
    return this.#whole;
  }
}

function readWhole(tool: string, text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw malformed(`The model sent unreadable arguments for the tool ${tool}: ${messageOf(thrown)}`, thrown);
  }
  if (!isRecord(value)) throw malformed(`The model sent arguments for the tool ${tool} that are no JSON object`);
  return value;
}
