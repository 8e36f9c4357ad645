// Keywords of JSON Schema that apply to the items of arrays and the properties of objects. Pure.
import { isRecord } from '../../base/index.ts';
import type { JsonSchema } from '../../contracts/index.ts';
import {
  applySubschema,
  isStrictMatch,
  type KeywordCheck,
  type SchemaLocation,
  type SchemaProblem,
  type SchemaScope,
  toArray,
  toCanonicalJson,
} from './evaluation.ts';

export const checkItems: KeywordCheck = (schema, evaluation, location, scope) => {
  if (!Array.isArray(evaluation.value)) return undefined;
  const sizeMessage = checkSize(evaluation.value.length, schema.minItems, schema.maxItems, 'items');
  if (sizeMessage) return { path: location.path, message: sizeMessage };
  // Until draft 2019-09, `items` can be a list, and `additionalItems` applies to the rest.
  const isList = Array.isArray(schema.items);
  const prefix = toArray(isList ? schema.items : schema.prefixItems);
  const rest = isList ? schema.additionalItems : schema.items;
  const items: unknown[] = [...evaluation.value];
  for (const index of items.keys()) {
    const itemSchema = index < prefix.length ? prefix[index] : rest;
    if (itemSchema === undefined) break;
    const problem = checkMember(itemSchema, items, index, location, scope);
    if (problem) return problem;
    evaluation.items.add(index);
  }
  evaluation.value = items;
  return checkUniqueItems(schema, items, location) ?? checkContains(schema, evaluation, location, scope);
};

function checkSize(size: number, minimum: unknown, maximum: unknown, noun: string): string | undefined {
  if (typeof minimum === 'number' && size < minimum) return `must have ${minimum} ${noun} or more`;
  return typeof maximum === 'number' && size > maximum ? `must have at most ${maximum} ${noun}` : undefined;
}

function checkUniqueItems(schema: JsonSchema, items: readonly unknown[], { path }: SchemaLocation) {
  if (schema.uniqueItems !== true || new Set(items.map(toCanonicalJson)).size === items.length) return undefined;
  return { path, message: 'must not have the same item twice' };
}

const checkContains: KeywordCheck = (schema, evaluation, location, scope) => {
  if (schema.contains === undefined) return undefined;
  const matches = [...toArray(evaluation.value).entries()].filter(([, item]) =>
    isStrictMatch(scope, schema.contains, item, location),
  );
  for (const [index] of matches) evaluation.items.add(index);
  const message = checkSize(matches.length, schema.minContains ?? 1, schema.maxContains, 'items that match "contains"');
  return message === undefined ? undefined : { path: location.path, message };
};

export const checkProperties: KeywordCheck = (schema, evaluation, location, scope) => {
  const { value } = evaluation;
  if (!isRecord(value)) return undefined;
  const missing = toArray(schema.required).find((key) => typeof key === 'string' && !hasKey(value, key));
  if (typeof missing === 'string') return { path: joinPath(location.path, missing), message: 'is required' };
  const keys = Object.keys(value);
  const sizeMessage = checkSize(keys.length, schema.minProperties, schema.maxProperties, 'properties');
  if (sizeMessage) return { path: location.path, message: sizeMessage };
  const properties: Record<string, unknown> = { ...value };
  for (const key of keys) {
    for (const propertySchema of selectPropertySchemas(schema, key, scope)) {
      const problem = checkMember(propertySchema, properties, key, location, scope);
      if (problem) return problem;
      evaluation.keys.add(key);
    }
  }
  evaluation.value = properties;
  return checkNames(schema, keys, location, scope) ?? checkDependencies(schema, evaluation, location, scope);
};

function hasKey(value: Readonly<Record<string, unknown>>, key: string): boolean {
  return Object.hasOwn(value, key) && value[key] !== undefined;
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function selectPropertySchemas(schema: JsonSchema, key: string, { matchesPattern }: SchemaScope): unknown[] {
  const { properties, patternProperties, additionalProperties } = schema;
  const named = isRecord(properties) && Object.hasOwn(properties, key) ? [properties[key]] : [];
  const matching = Object.entries(isRecord(patternProperties) ? patternProperties : {}).flatMap(([pattern, inner]) =>
    matchesPattern(pattern, key) ? [inner] : [],
  );
  if (named.length + matching.length > 0) return [...named, ...matching];
  return additionalProperties === undefined ? [] : [additionalProperties];
}

function checkNames(schema: JsonSchema, keys: readonly string[], location: SchemaLocation, scope: SchemaScope) {
  if (schema.propertyNames === undefined) return undefined;
  const key = keys.find((name) => !isStrictMatch(scope, schema.propertyNames, name, location));
  return key === undefined
    ? undefined
    : { path: joinPath(location.path, key), message: 'has a name that is not allowed' };
}

/** `dependencies` was split into `dependentRequired` and `dependentSchemas` in draft 2019-09. */
const checkDependencies: KeywordCheck = (schema, evaluation, location, scope) => {
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    const dependencies = schema[keyword];
    for (const [key, dependency] of Object.entries(isRecord(dependencies) ? dependencies : {})) {
      const { value } = evaluation;
      if (!isRecord(value) || !Object.hasOwn(value, key)) continue;
      const names: readonly unknown[] = typeof dependency === 'string' ? [dependency] : toArray(dependency);
      const missing = names.find((name) => typeof name === 'string' && !hasKey(value, name));
      if (typeof missing === 'string')
        return { path: joinPath(location.path, missing), message: `is required because there is ${key}` };
      const problem = names.length > 0 ? undefined : applySubschema(dependency, evaluation, location, scope);
      if (problem) return problem;
    }
  }
  return undefined;
};

/** Applied after all other keywords, to the members that none of them has checked. */
export const checkUnevaluated: KeywordCheck = (schema, evaluation, location, scope) => {
  const { value, items, keys } = evaluation;
  if (schema.unevaluatedItems !== undefined && Array.isArray(value)) {
    const copy = [...value];
    for (const index of copy.keys()) {
      const problem = items.has(index) ? undefined : checkMember(schema.unevaluatedItems, copy, index, location, scope);
      if (problem) return problem;
      items.add(index);
    }
    evaluation.value = copy;
  }
  if (schema.unevaluatedProperties !== undefined && isRecord(value)) {
    const copy = { ...value };
    for (const key of Object.keys(copy)) {
      const problem = keys.has(key) ? undefined : checkMember(schema.unevaluatedProperties, copy, key, location, scope);
      if (problem) return problem;
      keys.add(key);
    }
    evaluation.value = copy;
  }
  return undefined;
};

/** Stores the converted value in the container. */
function checkMember(
  schema: unknown,
  container: unknown[] | Record<string, unknown>,
  key: string | number,
  location: SchemaLocation,
  scope: SchemaScope,
): SchemaProblem | undefined {
  const members = container as Record<string | number, unknown>;
  const path = typeof key === 'number' ? `${location.path}[${key}]` : joinPath(location.path, key);
  const result = scope.evaluate(schema, members[key], { ...location, path });
  if ('problem' in result) return result.problem;
  members[key] = result.value;
  return undefined;
}
