// Validates a value against a JSON Schema. Supports only the common keywords and ignores all others. Pure.
import { isRecord, describeType, getOwnValue } from '../../base/index.ts';
import type { JsonSchema } from '../../contracts/index.ts';

export interface SchemaProblem {
  /** For example `edits[0].path`; empty for the whole value. */
  path: string;
  message: string;
}

interface CheckScope {
  /** Root schema, for resolving `$ref`. */
  readonly root: unknown;
  matchesPattern(pattern: string, text: string): boolean;
}

export type CheckResult = { value: unknown } | { problem: SchemaProblem };

/** Returns the value, with scalars converted where that is lossless (`"5"` for a number), or the problem. */
export function checkJson(schema: unknown, value: unknown, scope: CheckScope = { root: schema, matchesPattern: matchesRegExp }, path = ''): CheckResult {
  if (schema === false) return createFailure(path, 'is not allowed');
  if (!isRecord(schema)) return { value };
  if (typeof schema.$ref === 'string') return checkJson(resolveReference(schema.$ref, scope.root), value, scope, path);
  const typed = coerceToTypes(schema.type, value);
  if (typed === undefined) return createFailure(path, `must be ${describeExpectedType(schema.type)} (got ${describeValue(value)})`);
  const scalar = checkValue(schema, typed.value, scope, path);
  if (scalar) return { problem: scalar };
  const combined = checkCombinators(schema, typed.value, scope, path);
  if ('problem' in combined) return combined;
  if (Array.isArray(combined.value)) return checkItems(schema, combined.value, scope, path);
  return isRecord(combined.value) ? checkProperties(schema, combined.value, scope, path) : combined;
}

function createFailure(path: string, message: string): { problem: SchemaProblem } {
  return { problem: { path, message } };
}

function resolveReference(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return true;
  const steps = reference.slice(1).split('/').filter(Boolean);
  return steps.reduce<unknown>((node, step) => (isRecord(node) ? getOwnValue(node, step) : undefined), root) ?? true;
}

/** The value as one of these types, converted if that is lossless; `undefined` when it is none of them. */
function coerceToTypes(type: unknown, value: unknown): { value: unknown } | undefined {
  if (type === undefined) return { value };
  const types = Array.isArray(type) ? type : [type];
  if (types.some((candidate) => isOfType(candidate, value))) return { value };
  for (const candidate of types) {
    const coerced = coerceScalar(candidate, value);
    if (coerced !== undefined) return { value: coerced };
  }
  return undefined;
}

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

function coerceScalar(type: unknown, value: unknown): unknown {
  if (type === 'string') return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : undefined;
  if ((type !== 'number' && type !== 'integer') || typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return isOfType(type, number) ? number : undefined;
}

function checkValue(schema: JsonSchema, value: unknown, scope: CheckScope, path: string): SchemaProblem | undefined {
  const createProblem = (message: string) => ({ path, message: `${message} (got ${describeValue(value)})` });
  if ('const' in schema && !isEqual(schema.const, value)) return createProblem(`must be ${JSON.stringify(schema.const)}`);
  if (Array.isArray(schema.enum) && !schema.enum.some((allowed) => isEqual(allowed, value))) {
    return createProblem(`must be ${schema.enum.map((allowed) => JSON.stringify(allowed)).join(' or ')}`);
  }
  if (typeof value === 'number') return checkNumber(schema, value, createProblem);
  return typeof value === 'string' ? checkString(schema, value, scope, createProblem) : undefined;
}

type CreateProblem = (message: string) => SchemaProblem;

function checkNumber(schema: JsonSchema, value: number, createProblem: CreateProblem): SchemaProblem | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof minimum === 'number' && value < minimum) return createProblem(`must be ${minimum} or more`);
  if (typeof maximum === 'number' && value > maximum) return createProblem(`must be ${maximum} or less`);
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return createProblem(`must be more than ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return createProblem(`must be less than ${exclusiveMaximum}`);
  return undefined;
}

function checkString(schema: JsonSchema, value: string, scope: CheckScope, createProblem: CreateProblem): SchemaProblem | undefined {
  const { minLength, maxLength } = schema;
  if (typeof minLength === 'number' && value.length < minLength) {
    return createProblem(`must have ${minLength} characters or more`);
  }
  if (typeof maxLength === 'number' && value.length > maxLength)
    return createProblem(`must have at most ${maxLength} characters`);
  if (typeof schema.pattern === 'string' && !scope.matchesPattern(schema.pattern, value))
    return createProblem(`must match ${schema.pattern}`);
  return undefined;
}

/** An invalid expression matches everything: the caller cannot fix the schema of a tool. */
function matchesRegExp(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

function checkCombinators(schema: JsonSchema, value: unknown, scope: CheckScope, path: string): CheckResult {
  let result: CheckResult = { value };
  for (const subschema of toArray(schema.allOf)) {
    result = checkJson(subschema, result.value, scope, path);
    if ('problem' in result) return result;
  }
  const choices = [...toArray(schema.anyOf), ...toArray(schema.oneOf)];
  if (choices.length === 0) return result;
  const { value: current } = result;
  const results = choices.map((choice) => checkJson(choice, current, scope, path));
  return results.find((candidate) => 'value' in candidate) ?? selectClosestProblem(results);
}

/** The problem with the longest path: that alternative matched furthest and is most likely the intended one. */
function selectClosestProblem(results: readonly CheckResult[]): CheckResult {
  const problems = results.flatMap((result) => ('problem' in result ? [result] : []));
  return problems.sort((a, b) => b.problem.path.length - a.problem.path.length)[0] ?? { value: undefined };
}

function checkItems(schema: JsonSchema, value: readonly unknown[], scope: CheckScope, path: string): CheckResult {
  const { minItems, maxItems } = schema;
  if (typeof minItems === 'number' && value.length < minItems) return createFailure(path, `must have ${minItems} items or more`);
  if (typeof maxItems === 'number' && value.length > maxItems) return createFailure(path, `must have at most ${maxItems} items`);
  const items: unknown[] = [];
  for (const [index, item] of value.entries()) {
    const checked = checkJson(schema.items, item, scope, `${path}[${index}]`);
    if ('problem' in checked) return checked;
    items.push(checked.value);
  }
  return { value: items };
}

function checkProperties(schema: JsonSchema, value: Record<string, unknown>, scope: CheckScope, path: string): CheckResult {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const joinPath = (key: string) => (path === '' ? key : `${path}.${key}`);
  for (const key of toArray(schema.required)) {
    if (typeof key === 'string' && (!Object.hasOwn(value, key) || value[key] === undefined)) return createFailure(joinPath(key), 'is required');
  }
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const propertySchema = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
    const checked = checkJson(propertySchema, inner, scope, joinPath(key));
    if ('problem' in checked) return checked;
    entries.push([key, checked.value]);
  }
  return { value: Object.fromEntries(entries) };
}

function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function describeExpectedType(type: unknown): string {
  const types = Array.isArray(type) ? type : [type];
  return types
    .map((name) => (name === 'null' ? 'null' : `${/^[aeiou]/.test(String(name)) ? 'an' : 'a'} ${name}`))
    .join(' or ');
}

function describeValue(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'number' ? String(value) : describeType(value);
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}
