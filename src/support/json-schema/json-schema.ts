// Validates a value against a JSON Schema of another party: all keywords of draft 4 to 2020-12 except formats. Pure.
import { Fault, isRecord } from '../../base/index.ts';
import { checkItems, checkProperties, checkUnevaluated } from './check-members.ts';
import { checkType, checkValue, describeValue } from './check-scalar.ts';
import {
  applySubschema,
  type Evaluation,
  type EvaluationResult,
  isStrictMatch,
  type KeywordCheck,
  mergeEvaluation,
  type SchemaLocation,
  type SchemaProblem,
  type SchemaScope,
  toArray,
} from './evaluation.ts';
import { SchemaReferences } from './schema-references.ts';

/** A schema can refer to itself in several alternatives, and the time then doubles with each level of the value. */
const MAX_STEPS = 2_000_000;

export type CheckResult = { value: unknown } | { problem: SchemaProblem };

type MatchesPattern = SchemaScope['matchesPattern'];

/** Returns the value, with scalars converted where that is lossless (`"5"` for a number), or the problem. */
export function checkJson(
  schema: unknown,
  value: unknown,
  matchesPattern: MatchesPattern = matchesRegExp,
): CheckResult {
  let steps = 0;
  const scope: SchemaScope = {
    references: getReferences(schema),
    matchesPattern: (pattern, text) =>
      isRecordKeyPattern(pattern) ? matchesRegExp(pattern, text) : matchesPattern(pattern, text),
    evaluate(subschema, inner, location) {
      steps += 1;
      if (steps > MAX_STEPS) throw new Fault('invalid_params', 'the schema has too many alternatives to be checked');
      return evaluate(subschema, inner, location, scope);
    },
  };
  const result = scope.evaluate(schema, value, { path: '', resources: [], isStrict: false });
  return 'problem' in result ? { problem: result.problem } : { value: result.value };
}

/** The patterns by which TypeBox describes any string as a key. They take linear time. */
function isRecordKeyPattern(pattern: string): boolean {
  return pattern === '^.*$' || pattern === '^(.*)$';
}

const referencesOfRoot = new WeakMap<object, SchemaReferences>();

function getReferences(root: unknown): SchemaReferences {
  if (!isRecord(root)) return new SchemaReferences({});
  const references = referencesOfRoot.get(root) ?? new SchemaReferences(root);
  referencesOfRoot.set(root, references);
  return references;
}

/** An invalid expression matches everything: the caller cannot fix the schema of a tool. */
function matchesRegExp(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

function evaluate(schema: unknown, value: unknown, location: SchemaLocation, scope: SchemaScope): EvaluationResult {
  if (schema === false) return { problem: { path: location.path, message: 'is not allowed' } };
  const evaluation: Evaluation = isContainer(value)
    ? { value, keys: new Set(), items: new Set() }
    : { value, ...NO_MEMBERS };
  if (!isRecord(schema)) return evaluation;
  const inner = enterResource(location, scope.references.getResource(schema));
  for (const check of CHECKS) {
    const problem = check(schema, evaluation, inner, scope);
    if (problem) return { problem };
  }
  return evaluation;
}

/** Shared by all scalars, because most values are scalars. */
const NO_MEMBERS = { keys: new Set<string>(), items: new Set<number>() };

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function enterResource(location: SchemaLocation, resource: string): SchemaLocation {
  if (location.resources.at(-1) === resource) return location;
  return { ...location, resources: [...location.resources, resource] };
}

/** A reference to another document, or to a schema that does not exist, allows every value. */
const checkReferences: KeywordCheck = (schema, evaluation, location, scope) => {
  const { references } = scope;
  const { $ref, $dynamicRef, $recursiveRef } = schema;
  const targets = [
    typeof $ref === 'string' ? references.resolve($ref, schema) : undefined,
    typeof $dynamicRef === 'string' ? references.resolveDynamic($dynamicRef, schema, location.resources) : undefined,
    $recursiveRef === '#' ? references.resolveRecursive(schema, location.resources) : undefined,
  ];
  return applyAll(targets, evaluation, location, scope);
};

const checkAllOf: KeywordCheck = (schema, ...rest) => applyAll(toArray(schema.allOf), ...rest);

function applyAll(schemas: readonly unknown[], ...rest: [Evaluation, SchemaLocation, SchemaScope]) {
  for (const subschema of schemas) {
    const problem = applySubschema(subschema, ...rest);
    if (problem) return problem;
  }
  return undefined;
}

/** An alternative that matches without conversions is preferred: `"5"` stays a string if a string is allowed. */
const checkAnyOf: KeywordCheck = (schema, evaluation, location, scope) => {
  const choices = toArray(schema.anyOf);
  if (choices.length === 0) return undefined;
  const { matches, closestProblem } = evaluateStrictly(choices, evaluation, location, scope);
  for (const match of matches) mergeEvaluation(evaluation, match);
  if (matches.length > 0) return undefined;
  return location.isStrict ? closestProblem : applyFirstMatch(choices, evaluation, location, scope);
};

const checkOneOf: KeywordCheck = (schema, evaluation, location, scope) => {
  const choices = toArray(schema.oneOf);
  if (choices.length === 0) return undefined;
  let { matches, closestProblem } = evaluateStrictly(choices, evaluation, location, scope);
  if (matches.length === 0) {
    const problem = location.isStrict ? closestProblem : applyFirstMatch(choices, evaluation, location, scope);
    if (problem) return problem;
    // The converted value may match more than one.
    ({ matches, closestProblem } = evaluateStrictly(choices, evaluation, location, scope));
  }
  const [match] = matches;
  if (!match) return closestProblem;
  if (matches.length === 1) return mergeEvaluation(evaluation, match);
  return {
    path: location.path,
    message: `must match only one of the alternatives in "oneOf", not ${matches.length} (got ${describeValue(evaluation.value)})`,
  };
};

/** Each alternative is evaluated once. Otherwise the time would double with each level of nested alternatives. */
function evaluateStrictly(
  choices: readonly unknown[],
  { value }: Evaluation,
  location: SchemaLocation,
  scope: SchemaScope,
): { matches: Evaluation[]; closestProblem: SchemaProblem | undefined } {
  const matches: Evaluation[] = [];
  let closestProblem: SchemaProblem | undefined;
  for (const choice of choices) {
    const result = scope.evaluate(choice, value, { ...location, isStrict: true });
    if ('value' in result) matches.push(result);
    else closestProblem = selectCloser(closestProblem, result.problem);
  }
  return { matches, closestProblem };
}

/** The problem with the longest path, because that alternative matched furthest. */
function selectCloser(closest: SchemaProblem | undefined, problem: SchemaProblem): SchemaProblem {
  return closest && closest.path.length >= problem.path.length ? closest : problem;
}

/** With conversions. Returns the closest problem when none matches. */
function applyFirstMatch(
  choices: readonly unknown[],
  evaluation: Evaluation,
  location: SchemaLocation,
  scope: SchemaScope,
): SchemaProblem | undefined {
  let closest: SchemaProblem | undefined;
  for (const choice of choices) {
    const problem = applySubschema(choice, evaluation, location, scope);
    if (!problem) return undefined;
    closest = selectCloser(closest, problem);
  }
  return closest;
}

const checkNot: KeywordCheck = (schema, { value }, location, scope) => {
  if (schema.not === undefined || !isStrictMatch(scope, schema.not, value, location)) return undefined;
  return { path: location.path, message: `must not match the schema in "not" (got ${describeValue(value)})` };
};

const checkCondition: KeywordCheck = (schema, evaluation, location, scope) => {
  if (schema.if === undefined) return undefined;
  const condition = scope.evaluate(schema.if, evaluation.value, { ...location, isStrict: true });
  if ('problem' in condition) return applySubschema(schema.else, evaluation, location, scope);
  mergeEvaluation(evaluation, condition);
  return applySubschema(schema.then, evaluation, location, scope);
};

const CHECKS: readonly KeywordCheck[] = [
  ...[checkType, checkValue, checkReferences, checkAllOf, checkAnyOf, checkOneOf, checkNot, checkCondition],
  ...[checkItems, checkProperties, checkUnevaluated],
];
