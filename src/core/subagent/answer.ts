// First floor, core: is a subagent's last word what was asked for? Finds the data in it and holds it to the schema.
import { Fault, isRecord, messageOf } from '../../base/index.ts';
import { checkPatiently, type Expressions } from '../schema/expressions.ts';
import { jsonSchemaOf } from '../schema/type-definition.ts';

/** How often a subagent is told that its answer has not the form that was asked for. */
export const MOST_REMINDERS = 3;

type Read = { data: unknown } | { problem: string };

export interface AnswerForm {
  /** As whoever asked wrote it. */
  readonly schema: unknown;
  /** What an answer says, or what is wrong with it. */
  read(text: string): Promise<Read>;
}

/** `undefined` when any answer will do. Throws a Fault when the schema is none; `whose` says where it stands. */
export function answerForm(schema: unknown, whose: string, expressions: Expressions): AnswerForm | undefined {
  if (schema === undefined || schema === null) return undefined;
  const said = typeof schema === 'string' ? parsed(schema) : schema;
  if (!isRecord(said)) {
    throw new Fault('refused', `${whose} must be an object: a JSON Type Definition or a JSON Schema.`);
  }
  const wanted = jsonSchemaOf(said);
  return { schema: said, read: (text) => readAnswer(wanted, text, expressions) };
}

export function reminder(problem: string, number: number): string {
  return `Your last message has not the form that was asked for: ${problem}. Send the whole answer again as one JSON value in that form, and nothing else. (Reminder ${number} of ${MOST_REMINDERS})`;
}

export function misfit(problem: string): string {
  return `The answer does not fit the schema after ${MOST_REMINDERS} reminders: ${problem}`;
}

async function readAnswer(schema: unknown, text: string, expressions: Expressions): Promise<Read> {
  const value = dataIn(text);
  if (value !== undefined) return held(schema, value, expressions);
  const plain = await held(schema, text.trim(), expressions);
  return 'data' in plain ? plain : { problem: 'it is not JSON' };
}

async function held(schema: unknown, value: unknown, expressions: Expressions): Promise<Read> {
  try {
    const checked = await checkPatiently(schema, value, expressions);
    if ('value' in checked) return { data: checked.value };
    const { path, message } = checked.problem;
    return { problem: `${path || 'the value'} ${message}` };
  } catch (thrown) {
    // A schema may refer to itself without end.
    return { problem: `it cannot be checked (${messageOf(thrown)})` };
  }
}

/** The message itself, or the last block of code in it. */
function dataIn(text: string): unknown {
  const whole = parsed(text);
  if (whole !== undefined) return whole;
  return parsed(lastCodeIn(text) ?? '');
}

/** What stands between the last two lines of backticks that belong together. */
function lastCodeIn(text: string): string | undefined {
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
