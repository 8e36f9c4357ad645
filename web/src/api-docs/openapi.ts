// Reads an OpenAPI document: operations by group, references, and an example of a call. Pure.

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

export interface Reply {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface OperationObject {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, MediaType>> };
  readonly responses?: Readonly<Record<string, Reply>>;
  readonly security?: readonly unknown[];
  readonly 'x-access'?: string;
}

export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface Operation extends OperationObject {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

export interface OperationGroup {
  readonly name: string;
  readonly description: string | undefined;
  readonly operations: readonly Operation[];
}

const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete'];

export function groupOperations({ paths, tags = [] }: OpenApi): OperationGroup[] {
  const groups = new Map<string, Operation[]>(tags.map(({ name }) => [name, []]));
  for (const [path, item] of Object.entries(paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      const [name = 'Other'] = operation.tags ?? [];
      const id = operation.operationId ?? `${method}-${path.replace(/\W+/g, '-')}`;
      groups.set(name, [...(groups.get(name) ?? []), { ...operation, id, method, path }]);
    }
  }
  return [...groups]
    .filter(([, operations]) => operations.length > 0)
    .map(([name, operations]) => ({
      name,
      operations,
      description: tags.find((tag) => tag.name === name)?.description,
    }));
}

/** Every word must be in the path, the name or the texts of an operation. */
export function filterGroups(groups: readonly OperationGroup[], query: string): OperationGroup[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const isFound = ({ id, method, path, summary = '', description = '' }: Operation) => {
    const text = `${id} ${method} ${path} ${summary} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return groups
    .map((group) => ({ ...group, operations: group.operations.filter(isFound) }))
    .filter(({ operations }) => operations.length > 0);
}

/** The target of `#/components/…`, and the last part of its name. */
export function resolveReference<T extends { readonly $ref?: string }>(
  api: OpenApi,
  value: T,
): { readonly value: T; readonly name: string | undefined } {
  if (value.$ref === undefined) return { value, name: undefined };
  const [, kind = '', name = ''] = /^#\/components\/([^/]+)\/(.+)$/.exec(value.$ref) ?? [];
  const target = api.components?.[kind]?.[name] as T | undefined;
  return { value: target ?? ({} as T), name };
}

/** A short name of a type, such as `string[]` or `Model | null`. */
export function describeSchema(schema: Schema | undefined, depth = 0): string {
  if (!schema || depth > 4) return 'any';
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return choices.map((choice) => describeSchema(choice, depth + 1)).join(' | ');
  if (schema.allOf) return schema.allOf.map((part) => describeSchema(part, depth + 1)).join(' & ');
  if (schema.type === 'array') return `${describeSchema(schema.items, depth + 1)}[]`;
  if (Array.isArray(schema.type)) return schema.type.join(' | ');
  return typeof schema.type === 'string' ? schema.type : 'any';
}

/** The parts of a schema that can be expanded: an object, the items of an array, or several choices. */
export function listInnerSchemas(schema: Schema): readonly Schema[] {
  if (schema.properties || schema.$ref !== undefined) return [schema];
  if (schema.items) return listInnerSchemas(schema.items);
  return (schema.oneOf ?? schema.anyOf ?? schema.allOf ?? []).flatMap(listInnerSchemas);
}

export function getJsonSchema(content: Reply['content']): Schema | undefined {
  return content?.['application/json']?.schema;
}

function findExample(content: Reply['content']): unknown {
  const media = content?.['application/json'];
  const [first] = Object.values(media?.examples ?? {});
  return media?.example ?? first?.value;
}

/** A shell command. Parameters of the path become variables, and the token is read from one. */
export function buildCurl({ method, path, requestBody, security }: Operation, origin: string): string {
  const address = `${origin}${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${toVariable(name)}`)}`;
  const parts = ['curl -s'];
  if (method !== 'get') parts.push(`-X ${method.toUpperCase()}`);
  // An empty list means that the operation needs no token.
  if (security?.length !== 0) parts.push('-H "Authorization: Bearer $PARLEY_TOKEN"');
  if (requestBody) {
    const body = JSON.stringify(findExample(requestBody.content) ?? {}).replaceAll("'", "'\\''");
    parts.push("-H 'Content-Type: application/json'", `-d '${body}'`);
  }
  return [...parts, `"${address}"`].join(' \\\n  ');
}

/** `sessionId` becomes `SESSION_ID`. */
function toVariable(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
}
