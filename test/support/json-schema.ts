// Just enough JSON Schema to hold frames against what we publish. A keyword it does not know is an error, never a pass.

export interface SchemaNode {
  readonly [keyword: string]: unknown;
}

export interface SchemaDocument extends SchemaNode {
  readonly definitions: Readonly<Record<string, SchemaNode>>;
}

/** What is wrong with the value, one line each. Closed: a key that the schema does not name is wrong, too. */
export function complaints(document: SchemaDocument, name: string, value: unknown): string[] {
  const node = document.definitions[name];
  if (!node) return [`no definition is called ${name}`];
  return judge(document, node, value, '$');
}

type Rule = (argument: unknown, value: unknown, path: string, node: SchemaNode, document: SchemaDocument) => string[];

function judge(document: SchemaDocument, node: SchemaNode, value: unknown, path: string): string[] {
  return Object.entries(node).flatMap(([keyword, argument]) => {
    const rule = RULES[keyword];
    if (!rule) throw new Error(`JSON Schema keyword not known here: ${keyword}`);
    return rule(argument, value, path, node, document);
  });
}

const nothing: Rule = () => [];

const RULES: Readonly<Record<string, Rule>> = {
  title: nothing,
  description: nothing,
  default: nothing,
  propertyNames: nothing,
  'x-stability': nothing,
  $ref(argument, value, path, _, document) {
    const target = document.definitions[String(argument).replace('#/definitions/', '')];
    return target ? judge(document, target, value, path) : [`${path}: ${argument} leads nowhere`];
  },
  type: (argument, value, path) => (isOf(String(argument), value) ? [] : [`${path}: not of type ${argument}`]),
  const: (argument, value, path) => (argument === value ? [] : [`${path}: not ${JSON.stringify(argument)}`]),
  enum: (argument, value, path) => ((argument as unknown[]).includes(value) ? [] : [`${path}: not one of ${argument}`]),
  maximum: (argument, value, path) => (Number(value) <= Number(argument) ? [] : [`${path}: more than ${argument}`]),
  minimum: (argument, value, path) => (Number(value) >= Number(argument) ? [] : [`${path}: less than ${argument}`]),
  pattern: (argument, value, path) =>
    typeof value === 'string' && !new RegExp(String(argument)).test(value) ? [`${path}: not like ${argument}`] : [],
  items(argument, value, path, _, document) {
    if (!Array.isArray(value)) return [];
    return value.flatMap((item, index) => judge(document, argument as SchemaNode, item, `${path}[${index}]`));
  },
  required(argument, value, path) {
    if (!isOf('object', value)) return [];
    return (argument as string[])
      .filter((key) => !Object.hasOwn(value as object, key))
      .map((key) => `${path}.${key} is missing`);
  },
  properties(argument, value, path, node, document) {
    if (!isOf('object', value)) return [];
    return Object.entries(value as object).flatMap(([key, member]) => {
      const property = (argument as Record<string, SchemaNode>)[key];
      if (property) return judge(document, property, member, `${path}.${key}`);
      return node.additionalProperties === undefined ? [`${path}.${key} is not declared`] : [];
    });
  },
  additionalProperties(argument, value, path, node, document) {
    if (!isOf('object', value) || typeof argument !== 'object') return [];
    const named = Object.keys((node.properties as object | undefined) ?? {});
    const others = Object.entries(value as object).filter(([key]) => !named.includes(key));
    return others.flatMap(([key, member]) => judge(document, argument as SchemaNode, member, `${path}.${key}`));
  },
  anyOf: fitsOne,
  oneOf: fitsOne,
};

/** The complaints of the option that came closest, when none fits. */
function fitsOne(argument: unknown, value: unknown, path: string, _: SchemaNode, document: SchemaDocument): string[] {
  const outcomes = (argument as SchemaNode[]).map((option) => judge(document, option, value, path));
  return outcomes.reduce((best, next) => (next.length < best.length ? next : best));
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}
