// First floor, core: checks a value against a JSON Schema that somebody else wrote: a tool, a call. Pure; knows the words that are used.
import { isRecord, kindOf, ownValue } from '../../base/index.ts';
import type { JsonSchema } from '../../contracts/index.ts';

export interface Problem {
  /** Where, as one would write it: `edits[0].path`; empty for the whole. */
  path: string;
  message: string;
}

interface Scope {
  /** Where references begin. */
  readonly root: unknown;
  /** Whether a text has what an expression looks for. */
  matches(pattern: string, text: string): boolean;
}

export type Checked = { value: unknown } | { problem: Problem };

/**
 * The value with scalars turned into what the schema wants where nothing is lost (`"5"` for a number), or what is wrong.
 * Words that are not known here do not forbid anything.
 */
export function checkJson(schema: unknown, value: unknown, scope: Scope = { root: schema, matches }, path = ''): Checked {
  if (schema === false) return fail(path, 'is not allowed');
  if (!isRecord(schema)) return { value };
  if (typeof schema.$ref === 'string') return checkJson(referred(schema.$ref, scope.root), value, scope, path);
  const typed = typedAs(schema.type, value);
  if (typed === undefined) return fail(path, `must be ${wanted(schema.type)} (got ${shown(value)})`);
  const scalar = checkValue(schema, typed.value, scope, path);
  if (scalar) return { problem: scalar };
  const combined = checkCombined(schema, typed.value, scope, path);
  if ('problem' in combined) return combined;
  if (Array.isArray(combined.value)) return checkItems(schema, combined.value, scope, path);
  return isRecord(combined.value) ? checkProperties(schema, combined.value, scope, path) : combined;
}

function fail(path: string, message: string): { problem: Problem } {
  return { problem: { path, message } };
}

function referred(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return true;
  const steps = reference.slice(1).split('/').filter(Boolean);
  return steps.reduce<unknown>((at, step) => (isRecord(at) ? ownValue(at, step) : undefined), root) ?? true;
}

/** The value in one of these types, turned when that loses nothing; `undefined` when it is none of them. */
function typedAs(type: unknown, value: unknown): { value: unknown } | undefined {
  if (type === undefined) return { value };
  const types = Array.isArray(type) ? type : [type];
  if (types.some((one) => isOf(one, value))) return { value };
  for (const one of types) {
    const turned = turnedInto(one, value);
    if (turned !== undefined) return { value: turned };
  }
  return undefined;
}

function isOf(type: unknown, value: unknown): boolean {
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

function turnedInto(type: unknown, value: unknown): unknown {
  if (type === 'string') return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : undefined;
  if ((type !== 'number' && type !== 'integer') || typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return isOf(type, number) ? number : undefined;
}

function checkValue(schema: JsonSchema, value: unknown, scope: Scope, path: string): Problem | undefined {
  const wrong = (message: string) => ({ path, message: `${message} (got ${shown(value)})` });
  if ('const' in schema && !same(schema.const, value)) return wrong(`must be ${JSON.stringify(schema.const)}`);
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => same(one, value))) {
    return wrong(`must be ${schema.enum.map((one) => JSON.stringify(one)).join(' or ')}`);
  }
  if (typeof value === 'number') return checkNumber(schema, value, wrong);
  return typeof value === 'string' ? checkText(schema, value, scope, wrong) : undefined;
}

type Wrong = (message: string) => Problem;

function checkNumber(schema: JsonSchema, value: number, wrong: Wrong): Problem | undefined {
  const { minimum, maximum, exclusiveMinimum: over, exclusiveMaximum: under } = schema;
  if (typeof minimum === 'number' && value < minimum) return wrong(`must be ${minimum} or more`);
  if (typeof maximum === 'number' && value > maximum) return wrong(`must be ${maximum} or less`);
  if (typeof over === 'number' && value <= over) return wrong(`must be more than ${over}`);
  if (typeof under === 'number' && value >= under) return wrong(`must be less than ${under}`);
  return undefined;
}

function checkText(schema: JsonSchema, value: string, scope: Scope, wrong: Wrong): Problem | undefined {
  const { minLength, maxLength } = schema;
  if (typeof minLength === 'number' && value.length < minLength) {
    return wrong(`must have ${minLength} characters or more`);
  }
  if (typeof maxLength === 'number' && value.length > maxLength)
    return wrong(`must have at most ${maxLength} characters`);
  if (typeof schema.pattern === 'string' && !scope.matches(schema.pattern, value))
    return wrong(`must match ${schema.pattern}`);
  return undefined;
}

/** An expression that is none forbids nothing: the tool's author is not here to mend it. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

function checkCombined(schema: JsonSchema, value: unknown, scope: Scope, path: string): Checked {
  let now: Checked = { value };
  for (const all of listOf(schema.allOf)) {
    now = checkJson(all, now.value, scope, path);
    if ('problem' in now) return now;
  }
  const choices = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  if (choices.length === 0) return now;
  const { value: before } = now;
  const tried = choices.map((choice) => checkJson(choice, before, scope, path));
  return tried.find((one) => 'value' in one) ?? nearest(tried);
}

/** Of several ways to be wrong, the one that got furthest is what was meant. */
function nearest(tried: readonly Checked[]): Checked {
  const problems = tried.flatMap((one) => ('problem' in one ? [one] : []));
  return problems.sort((a, b) => b.problem.path.length - a.problem.path.length)[0] ?? { value: undefined };
}

function checkItems(schema: JsonSchema, value: readonly unknown[], scope: Scope, path: string): Checked {
  const { minItems, maxItems } = schema;
  if (typeof minItems === 'number' && value.length < minItems) return fail(path, `must have ${minItems} items or more`);
  if (typeof maxItems === 'number' && value.length > maxItems) return fail(path, `must have at most ${maxItems} items`);
  const items: unknown[] = [];
  for (const [index, item] of value.entries()) {
    const checked = checkJson(schema.items, item, scope, `${path}[${index}]`);
    if ('problem' in checked) return checked;
    items.push(checked.value);
  }
  return { value: items };
}

function checkProperties(schema: JsonSchema, value: Record<string, unknown>, scope: Scope, path: string): Checked {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const at = (key: string) => (path === '' ? key : `${path}.${key}`);
  for (const key of listOf(schema.required)) {
    if (typeof key === 'string' && (!Object.hasOwn(value, key) || value[key] === undefined)) return fail(at(key), 'is required');
  }
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
    const checked = checkJson(own, inner, scope, at(key));
    if ('problem' in checked) return checked;
    entries.push([key, checked.value]);
  }
  return { value: Object.fromEntries(entries) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function wanted(type: unknown): string {
  const types = Array.isArray(type) ? type : [type];
  return types
    .map((one) => (one === 'null' ? 'null' : `${/^[aeiou]/.test(String(one)) ? 'an' : 'a'} ${one}`))
    .join(' or ');
}

function shown(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'number' ? String(value) : kindOf(value);
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
