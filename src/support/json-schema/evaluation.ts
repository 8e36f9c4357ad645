// Types and small functions that the parts of the JSON Schema validator share. Pure.
import type { JsonSchema } from '../../contracts/index.ts';
import type { SchemaReferences } from './schema-references.ts';

export interface SchemaProblem {
  /** For example `edits[0].path`; empty for the whole value. */
  path: string;
  message: string;
}

/** A value that has passed so far. `keys` and `items` name the members that a subschema has checked, for `unevaluated…`. */
export interface Evaluation {
  value: unknown;
  readonly keys: Set<string>;
  readonly items: Set<number>;
}

export type EvaluationResult = Evaluation | { readonly problem: SchemaProblem };

export interface SchemaLocation {
  readonly path: string;
  /** URIs of the schema resources that were entered, outermost first. Dynamic references depend on them. */
  readonly resources: readonly string[];
  /** Values are not converted, because a match must not depend on a conversion. */
  readonly isStrict: boolean;
}

export interface SchemaScope {
  readonly references: SchemaReferences;
  matchesPattern(pattern: string, text: string): boolean;
  evaluate(schema: unknown, value: unknown, location: SchemaLocation): EvaluationResult;
}

/** Checks some keywords of a schema. Changes the evaluation when a value is converted or a member was checked. */
export type KeywordCheck = (
  schema: JsonSchema,
  evaluation: Evaluation,
  location: SchemaLocation,
  scope: SchemaScope,
) => SchemaProblem | undefined;

export function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isStrictMatch(scope: SchemaScope, schema: unknown, value: unknown, location: SchemaLocation): boolean {
  return 'value' in scope.evaluate(schema, value, { ...location, isStrict: true });
}

/** Applies a subschema to the same value. */
export function applySubschema(
  ...[schema, evaluation, location, scope]: SubschemaArguments
): SchemaProblem | undefined {
  const result = scope.evaluate(schema, evaluation.value, location);
  if ('problem' in result) return result.problem;
  mergeEvaluation(evaluation, result);
  return undefined;
}

type SubschemaArguments = [schema: unknown, evaluation: Evaluation, location: SchemaLocation, scope: SchemaScope];

export function mergeEvaluation(evaluation: Evaluation, result: Evaluation): undefined {
  evaluation.value = result.value;
  for (const key of result.keys) evaluation.keys.add(key);
  for (const index of result.items) evaluation.items.add(index);
}

/** JSON with sorted keys: equal values have equal texts. */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
