// One field of an elicitation form: how it is described to the user, and how the answer is checked.
import { isRecord } from '../base/index.ts';

type FieldValue = string | number | boolean | string[];
type FieldResult = { readonly value: FieldValue | undefined } | { readonly problem: string };

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  /** Present when one of a few values is selected. */
  readonly options: readonly Choice[] | undefined;
  readonly placeholder: string | undefined;
  /** `text` is the label of an option, or what the user entered. */
  parse(text: string): FieldResult;
}

interface Choice {
  readonly label: string;
  readonly value: string | boolean;
}

const MAX_OPTIONS = 200;
const MAX_LABEL_LENGTH = 200;

export function describeField({ label, description, isRequired }: Field): string {
  const text = description ? `${label}: ${description}` : label;
  return isRequired ? text : `${text} (optional)`;
}

export function parseField(name: string, property: unknown, isRequired: boolean): Field {
  const schema = isRecord(property) ? property : {};
  const fallback = readDefault(schema.default);
  const isList = schema.type === 'array';
  const choices = readChoices(isList ? schema.items : schema);
  const check = createCheck(schema, choices, isList);
  return {
    name,
    label: (readText(schema.title) ?? name).slice(0, MAX_LABEL_LENGTH),
    description: readText(schema.description),
    isRequired,
    options: isList ? undefined : choices,
    placeholder: describeInput(schema, isList ? choices : undefined, fallback),
    parse(text) {
      if (text.trim() !== '' || choices?.some(({ label }) => label === text)) return check(text);
      if (fallback !== undefined) return { value: fallback };
      return isRequired ? { problem: 'An answer is required.' } : { value: undefined };
    },
  };
}

function createCheck(
  schema: Readonly<Record<string, unknown>>,
  choices: readonly Choice[] | undefined,
  isList: boolean,
): (text: string) => FieldResult {
  if (isList) return (text) => checkList(text, choices, schema);
  if (choices) {
    return (text) => {
      const choice = choices.find(({ label }) => label === text);
      return choice ? { value: choice.value } : { problem: 'Choose one of the options.' };
    };
  }
  const isNumber = schema.type === 'number' || schema.type === 'integer';
  return isNumber ? (text) => checkNumber(text, schema) : (text) => checkText(text, schema);
}

/** `undefined` for a field with any other values. */
function readChoices(source: unknown): readonly Choice[] | undefined {
  const schema = isRecord(source) ? source : {};
  if (schema.type === 'boolean')
    return [
      { label: 'Yes', value: true },
      { label: 'No', value: false },
    ];
  const titled = Array.isArray(schema.oneOf) ? schema.oneOf : Array.isArray(schema.anyOf) ? schema.anyOf : undefined;
  if (titled) {
    return titled.slice(0, MAX_OPTIONS).flatMap((option) => {
      const value = isRecord(option) ? readText(option.const) : undefined;
      return value === undefined ? [] : [{ label: (isRecord(option) && readText(option.title)) || value, value }];
    });
  }
  if (!Array.isArray(schema.enum)) return undefined;
  const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
  return schema.enum.slice(0, MAX_OPTIONS).flatMap((option, index) => {
    const value = readText(option);
    return value === undefined ? [] : [{ label: readText(names[index]) ?? value, value }];
  });
}

function checkList(
  text: string,
  choices: readonly Choice[] = [],
  schema: Readonly<Record<string, unknown>>,
): FieldResult {
  const values: string[] = [];
  for (const part of text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)) {
    const choice = choices.find(({ label, value }) => label === part || value === part);
    if (!choice) return { problem: `${part} is not one of: ${choices.map(({ label }) => label).join(', ')}.` };
    values.push(String(choice.value));
  }
  const { minItems, maxItems } = schema;
  if (typeof minItems === 'number' && values.length < minItems) return { problem: `Choose at least ${minItems}.` };
  if (typeof maxItems === 'number' && values.length > maxItems) return { problem: `Choose at most ${maxItems}.` };
  return { value: values };
}

function checkNumber(text: string, { type, minimum, maximum }: Readonly<Record<string, unknown>>): FieldResult {
  const value = Number(text.trim());
  if (!Number.isFinite(value)) return { problem: `${text} is not a number.` };
  if (type === 'integer' && !Number.isInteger(value)) return { problem: `${text} is not an integer.` };
  if (typeof minimum === 'number' && value < minimum) return { problem: `The number must be at least ${minimum}.` };
  if (typeof maximum === 'number' && value > maximum) return { problem: `The number must be at most ${maximum}.` };
  return { value };
}

function checkText(text: string, schema: Readonly<Record<string, unknown>>): FieldResult {
  const { minLength, maxLength, format } = schema;
  const { length } = [...text];
  if (typeof minLength === 'number' && length < minLength)
    return { problem: `Enter at least ${minLength} characters.` };
  if (typeof maxLength === 'number' && length > maxLength) return { problem: `Enter at most ${maxLength} characters.` };
  const problem = typeof format === 'string' ? findFormatProblem(text, format) : undefined;
  return problem === undefined ? { value: text } : { problem };
}

function findFormatProblem(text: string, format: string): string | undefined {
  const isValid =
    (format === 'email' && /^[^\s@]+@[^\s@]+$/.test(text)) ||
    (format === 'uri' && URL.canParse(text)) ||
    (format === 'date' && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))) ||
    (format === 'date-time' && /^\d{4}-\d\d-\d\dT/i.test(text) && !Number.isNaN(Date.parse(text))) ||
    !['email', 'uri', 'date', 'date-time'].includes(format);
  return isValid ? undefined : `${text} is not a valid ${format}.`;
}

function describeInput(
  { type, format }: Readonly<Record<string, unknown>>,
  choices: readonly Choice[] | undefined,
  fallback: FieldValue | undefined,
): string | undefined {
  const kind = choices
    ? `one or more of, separated by commas: ${choices.map(({ label }) => label).join(', ')}`
    : (readText(format) ?? (type === 'number' || type === 'integer' ? String(type) : undefined));
  const parts = [kind, fallback === undefined ? undefined : `default: ${String(fallback)}`].filter(Boolean);
  return parts.length > 0 ? parts.join('; ') : undefined;
}

function readDefault(value: unknown): FieldValue | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
