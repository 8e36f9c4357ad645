// Parses the arguments of a tool call while their JSON is still arriving.
import { Allow, parse } from 'partial-json';
import { getErrorMessage, isRecord } from '../base/index.ts';
import { createMalformedFault } from './http/provider-fault.ts';

/** Growth of the text before it is parsed again. With 1.25 all partial parses together cost about five times the text. */
const REPARSE_GROWTH = 1.25;

// A partial string is a prefix of the value. A partial number or literal would be a different value.
const PARTIAL_TYPES = Allow.STR | Allow.OBJ | Allow.ARR;

/** The partial JSON parser needs time quadratic in the nesting depth. */
const MAX_DEPTH = 100;

/** Parses JSON that is still arriving. Throws when nothing can be parsed yet or when it is nested too deeply. */
export function parsePartialJson(text: string): unknown {
  if (isDeeperThan(text, MAX_DEPTH)) throw new Error(`JSON is nested deeper than ${MAX_DEPTH} levels`);
  return parse(text, PARTIAL_TYPES);
}

function isDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (inString && char === '\\') at += 1;
    else if (char === '"') inString = !inString;
    else if (!inString && (char === '[' || char === '{')) depth += 1;
    else if (!inString && (char === ']' || char === '}')) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

export class ToolArguments {
  readonly #tool: string;
  #text = '';
  #parsedLength = 0;
  #complete: Record<string, unknown> | undefined;

  constructor(tool: string) {
    this.#tool = tool;
  }

  /** The arguments parsed so far, as a new object. `undefined` until the text has grown enough for another parse. */
  append(piece: string): Record<string, unknown> | undefined {
    this.#text += piece;
    this.#complete = undefined;
    if (piece === '' || this.#text.length < this.#parsedLength * REPARSE_GROWTH) return undefined;
    this.#parsedLength = this.#text.length;
    try {
      const parsed: unknown = parsePartialJson(this.#text);
      return isRecord(parsed) ? parsed : undefined;
    } catch {
      return undefined;
    }
  }

  get isComplete(): boolean {
    try {
      this.parseComplete();
      return true;
    } catch {
      return false;
    }
  }

  /** Throws when the text is not a JSON object. An empty text means no arguments. */
  parseComplete(): Record<string, unknown> {
    this.#complete ??= parseArguments(this.#tool, this.#text);
    return this.#complete;
  }
}

function parseArguments(tool: string, text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw createMalformedFault(
      `The model sent unreadable arguments for the tool ${tool}: ${getErrorMessage(thrown)}`,
      thrown,
    );
  }
  if (!isRecord(value))
    throw createMalformedFault(`The model sent arguments for the tool ${tool} that are not a JSON object`);
  return value;
}
