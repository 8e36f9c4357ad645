// A minimal JSON Schema validator for the published schemas. An unknown keyword is an error.

export interface SchemaNode {
  readonly [keyword: string]: unknown;
}

export interface SchemaDocument extends SchemaNode {
  readonly definitions: Readonly<Record<string, SchemaNode>>;
}

/** The errors of a value. A key that the schema does not declare is an error too. */
export function validateDefinition(document: SchemaDocument, name: string, value: unknown): string[] {
  const node = document.definitions[name];
  if (!node) return [`there is no definition ${name}`];
  return validateNode(document, node, value, '$');
}

type Rule = (argument: unknown, value: unknown, path: string, node: SchemaNode, document: SchemaDocument) => string[];

function validateNode(document: SchemaDocument, node: SchemaNode, value: unknown, path: string): string[] {
  return Object.entries(node).flatMap(([keyword, argument]) => {
    const rule = RULES[keyword];
    if (!rule) throw new Error(`Unknown JSON Schema keyword: ${keyword}`);
    return rule(argument, value, path, node, document);
  });
}

const ignore: Rule = () => [];

const RULES: Readonly<Record<string, Rule>> = {
  title: ignore,
  description: ignore,
  default: ignore,
  propertyNames: ignore,
  'x-stability': ignore,
  $ref(argument, value, path, _, document) {
    const target = document.definitions[String(argument).replace('#/definitions/', '')];
    return target ? validateNode(document, target, value, path) : [`${path}: ${argument} is not defined`];
  },
  type: (argument, value, path) => (hasType(String(argument), value) ? [] : [`${path}: not of type ${argument}`]),
  const: (argument, value, path) => (argument === value ? [] : [`${path}: not ${JSON.stringify(argument)}`]),
  enum: (argument, value, path) => ((argument as unknown[]).includes(value) ? [] : [`${path}: not one of ${argument}`]),
  maximum: (argument, value, path) => (Number(value) <= Number(argument) ? [] : [`${path}: more than ${argument}`]),
  minimum: (argument, value, path) => (Number(value) >= Number(argument) ? [] : [`${path}: less than ${argument}`]),
  pattern: (argument, value, path) =>
    typeof value === 'string' && !new RegExp(String(argument)).test(value) ? [`${path}: not like ${argument}`] : [],
  items(argument, value, path, _, document) {
    if (!Array.isArray(value)) return [];
    return value.flatMap((item, index) => validateNode(document, argument as SchemaNode, item, `${path}[${index}]`));
  },
  required(argument, value, path) {
    if (!hasType('object', value)) return [];
    return (argument as string[])
      .filter((key) => !Object.hasOwn(value as object, key))
      .map((key) => `${path}.${key} is missing`);
  },
  properties(argument, value, path, node, document) {
    if (!hasType('object', value)) return [];
    return Object.entries(value as object).flatMap(([key, member]) => {
      const property = (argument as Record<string, SchemaNode>)[key];
      if (property) return validateNode(document, property, member, `${path}.${key}`);
      return node.additionalProperties === undefined ? [`${path}.${key} is not declared`] : [];
    });
  },
  additionalProperties(argument, value, path, node, document) {
    if (!hasType('object', value) || typeof argument !== 'object') return [];
    const named = Object.keys((node.properties as object | undefined) ?? {});
    const others = Object.entries(value as object).filter(([key]) => !named.includes(key));
    return others.flatMap(([key, member]) => validateNode(document, argument as SchemaNode, member, `${path}.${key}`));
  },
  anyOf: matchesOne,
  oneOf: matchesOne,
};

/** The errors of the option with the fewest errors, if none matches. */
function matchesOne(
  argument: unknown,
  value: unknown,
  path: string,
  _: SchemaNode,
  document: SchemaDocument,
): string[] {
  const outcomes = (argument as SchemaNode[]).map((option) => validateNode(document, option, value, path));
  return outcomes.reduce((best, next) => (next.length < best.length ? next : best));
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}
