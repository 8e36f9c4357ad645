// Keywords of JSON Schema that apply to a single value: type, enum, const, limits of numbers and strings. Pure.
import { describeType, isRecord } from '../../base/index.ts';
import type { JsonSchema } from '../../contracts/index.ts';
import { type KeywordCheck, toArray, toCanonicalJson } from './evaluation.ts';

const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];

/** Converts scalars where that is lossless (`"5"` for a number). Unknown types allow every value. */
export const checkType: KeywordCheck = (schema, evaluation, { path, isStrict }) => {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => TYPES.includes(type));
  const { value } = evaluation;
  if (types.length === 0 || types.some((type) => isOfType(type, value))) return undefined;
  if (schema.nullable === true && value === null) return undefined;
  const converted = isStrict ? [] : types.map((type) => convertScalar(type, value));
  evaluation.value = converted.find((candidate) => candidate !== undefined) ?? value;
  if (evaluation.value !== value) return undefined;
  return { path, message: `must be ${describeTypes(types)} (got ${describeValue(value)})` };
};

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

function convertScalar(type: unknown, value: unknown): unknown {
  if (type === 'string') return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : undefined;
  if ((type !== 'number' && type !== 'integer') || typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return isOfType(type, number) ? number : undefined;
}

export const checkValue: KeywordCheck = (schema, { value }, { path }, { matchesPattern }) => {
  const message = findViolation(schema, value, matchesPattern);
  return message === undefined ? undefined : { path, message: `${message} (got ${describeValue(value)})` };
};

type MatchesPattern = (pattern: string, text: string) => boolean;

function findViolation(schema: JsonSchema, value: unknown, matchesPattern: MatchesPattern): string | undefined {
  if (Object.hasOwn(schema, 'const') && !isEqual(schema.const, value)) return `must be ${JSON.stringify(schema.const)}`;
  if (Array.isArray(schema.enum) && !isListed(toArray(schema.enum), value)) {
    return `must be ${schema.enum.map((allowed) => JSON.stringify(allowed)).join(' or ')}`;
  }
  if (typeof value === 'number') return findNumberViolation(schema, value);
  return typeof value === 'string' ? findStringViolation(schema, value, matchesPattern) : undefined;
}

function isListed(allowed: readonly unknown[], value: unknown): boolean {
  return allowed.some((candidate) => isEqual(candidate, value));
}

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b || typeof a !== 'object' || typeof b !== 'object') return a === b;
  return toCanonicalJson(a) === toCanonicalJson(b);
}

function findNumberViolation(schema: JsonSchema, value: number): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  // In draft 4 the exclusive keywords are flags of the others.
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  if (typeof above === 'number' && value <= above) return `must be more than ${above}`;
  if (typeof below === 'number' && value >= below) return `must be less than ${below}`;
  if (typeof minimum === 'number' && value < minimum) return `must be ${minimum} or more`;
  if (typeof maximum === 'number' && value > maximum) return `must be ${maximum} or less`;
  if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf)) return `must be a multiple of ${multipleOf}`;
  return undefined;
}

/** Ignores rounding errors: 0.29 is a multiple of 0.01. */
function isMultiple(value: number, divisor: number): boolean {
  const quotient = value / divisor;
  return Math.abs(quotient - Math.round(quotient)) <= 4 * Number.EPSILON * Math.max(1, Math.abs(quotient));
}

function findStringViolation(schema: JsonSchema, value: string, matchesPattern: MatchesPattern): string | undefined {
  const { minLength, maxLength, pattern } = schema;
  if (typeof minLength === 'number' && countCharacters(value) < minLength)
    return `must have ${minLength} characters or more`;
  if (typeof maxLength === 'number' && countCharacters(value) > maxLength)
    return `must have at most ${maxLength} characters`;
  return typeof pattern === 'string' && !matchesPattern(pattern, value) ? `must match ${pattern}` : undefined;
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function describeTypes(types: readonly unknown[]): string {
  return types
    .map((name) => (name === 'null' ? 'null' : `${/^[aeiou]/.test(String(name)) ? 'an' : 'a'} ${name}`))
    .join(' or ');
}

export function describeValue(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'number' ? String(value) : describeType(value);
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
