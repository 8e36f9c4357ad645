// Extracts JSON from a subagent's last message and validates it against the requested schema.
import { Fault, getErrorMessage, isRecord } from '../../base/index.ts';
import { checkJsonAsync, type PatternOptions } from '../../support/json-schema/check-json-async.ts';
import { normalizeSchema } from '../schema/normalize-schema.ts';

/** How many times a subagent is asked to correct an answer that does not match the schema. */
export const MAX_REMINDERS = 3;

type ParsedAnswer = { data: unknown } | { problem: string };

export interface AnswerParser {
  /** The schema before normalization, as the caller wrote it. */
  readonly schema: unknown;
  parse(text: string): Promise<ParsedAnswer>;
}

/** `undefined` when there is no schema. Throws a Fault when it is not an object; `schemaName` identifies it in that message. */
export function createAnswerParser(
  schema: unknown,
  schemaName: string,
  patternOptions: PatternOptions,
): AnswerParser | undefined {
  if (schema === undefined || schema === null) return undefined;
  const parsedSchema = typeof schema === 'string' ? tryParseJson(schema) : schema;
  if (!isRecord(parsedSchema)) {
    throw new Fault('refused', `${schemaName} must be an object: a JSON Type Definition or a JSON Schema.`);
  }
  const jsonSchema = normalizeSchema(parsedSchema);
  return { schema: parsedSchema, parse: (text) => parseAnswer(jsonSchema, text, patternOptions) };
}

export function formatReminder(problem: string, number: number): string {
  return `Your last message does not match the requested schema: ${problem}. Send the complete answer again as a single JSON value that matches the schema, and nothing else. (Reminder ${number} of ${MAX_REMINDERS})`;
}

export function formatMismatch(problem: string): string {
  return `The answer does not fit the schema after ${MAX_REMINDERS} reminders: ${problem}`;
}

async function parseAnswer(schema: unknown, text: string, patternOptions: PatternOptions): Promise<ParsedAnswer> {
  const value = extractJson(text);
  if (value !== undefined) return checkAgainstSchema(schema, value, patternOptions);
  const plain = await checkAgainstSchema(schema, text.trim(), patternOptions);
  return 'data' in plain ? plain : { problem: 'it is not JSON' };
}

async function checkAgainstSchema(
  schema: unknown,
  value: unknown,
  patternOptions: PatternOptions,
): Promise<ParsedAnswer> {
  try {
    const checked = await checkJsonAsync(schema, value, patternOptions);
    if ('value' in checked) return { data: checked.value };
    const { path, message } = checked.problem;
    return { problem: `${path || 'the value'} ${message}` };
  } catch (thrown) {
    // Validation throws for a schema with endless self-references.
    return { problem: `it cannot be checked (${getErrorMessage(thrown)})` };
  }
}

/** Parses the whole message, or else its last fenced code block. */
function extractJson(text: string): unknown {
  const whole = tryParseJson(text);
  if (whole !== undefined) return whole;
  return tryParseJson(findLastCodeBlock(text) ?? '');
}

/** The content of the last fenced code block that is closed. */
function findLastCodeBlock(text: string): string | undefined {
  let last: string | undefined;
  let open: string[] | undefined;
  for (const line of text.split('\n')) {
    const isFence = line.trimStart().startsWith('```');
    if (open && isFence && line.trim() === '```') {
      last = open.join('\n');
      open = undefined;
    } else if (open) open.push(line);
    else if (isFence && !line.trimStart().slice(3).includes('`')) open = [];
  }
  return last;
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
