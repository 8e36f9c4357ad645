// Checks an OpenAPI 3.1 document against the rules of the specification that matter for programs that read it.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export type Json = Record<string, unknown>;

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly operation: Json;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const COMPONENT_NAME = /^[a-zA-Z0-9._-]+$/;
/** Keywords of older drafts whose meaning has changed, and those of OpenAPI 3.0. */
const OLD_KEYWORDS = ['definitions', 'dependencies', 'additionalItems', 'nullable', 'id', '$schema'];

export class OpenApiDocument {
  readonly #document: Json;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });

  constructor(document: Json) {
    this.#document = document;
    this.#ajv.addSchema(document, 'openapi');
  }

  get operations(): Operation[] {
    return Object.entries(this.#document.paths as Record<string, Json>).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => METHODS.includes(method))
        .map(([method, operation]) => ({
          ...{ method, path, operation: operation as Json },
          id: String((operation as Json).operationId),
        })),
    );
  }

  /** Follows a reference inside the document; `undefined` when there is nothing. */
  resolve(ref: string): unknown {
    const parts = ref.replace(/^#\//, '').split('/').map(unescapePointer);
    return parts.reduce<unknown>((value, part) => (value as Json | undefined)?.[part], this.#document);
  }

  /** The problems of a value with the schema at this place. */
  validate(pointer: string, value: unknown): string[] {
    const validate = this.#ajv.getSchema(`openapi#/${pointer}`) as ValidateFunction | undefined;
    if (!validate) return [`There is no schema at ${pointer}`];
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  /** The problems of a response body with the document. */
  validateResponse(path: string, method: string, status: number, type: string, body: unknown): string[] {
    const responses = (this.#document.paths as Record<string, Record<string, Json>>)[path]?.[method]?.responses as
      | Record<string, Json>
      | undefined;
    const response = responses?.[status];
    if (!response) return [`${method} ${path} does not declare the status ${status}`];
    const at = response.$ref
      ? String(response.$ref).replace(/^#\//, '')
      : ['paths', path, method, 'responses', String(status)].map(escapePointer).join('/');
    return this.validate(`${at}/content/${escapePointer(type)}/schema`, body);
  }

  findProblems(): string[] {
    return [
      ...this.#checkRoot(),
      ...this.#checkReferences(),
      ...this.#checkComponents(),
      ...this.#checkPaths(),
      ...this.operations.flatMap((operation) => this.#checkOperation(operation)),
      ...this.#checkSchemas(),
      ...this.#checkExamples(),
    ];
  }

  #checkRoot(): string[] {
    const { openapi, info, paths, servers } = this.#document as {
      openapi: string;
      info: Json;
      paths: Json;
      servers: Json[];
    };
    return [
      ...(/^3\.1\.\d+$/.test(openapi) ? [] : [`openapi is ${openapi}`]),
      ...(['title', 'version'].every((field) => typeof info[field] === 'string') ? [] : ['info is incomplete']),
      ...(Object.keys(paths).length > 0 ? [] : ['There are no paths']),
      ...(servers.every(({ url }) => typeof url === 'string') ? [] : ['A server has no url']),
    ];
  }

  #checkReferences(): string[] {
    return [...listMembers(this.#document)].flatMap(({ key, value, pointer }) => {
      const isMapping = /\/discriminator\/mapping\//.test(pointer);
      if ((key !== '$ref' && !isMapping) || typeof value !== 'string') return [];
      return value.startsWith('#/') && this.resolve(value) !== undefined
        ? []
        : [`${pointer}: ${value} does not resolve`];
    });
  }

  #checkComponents(): string[] {
    const names = Object.values(this.#document.components as Record<string, Json>).flatMap(Object.keys);
    return names.filter((name) => !COMPONENT_NAME.test(name)).map((name) => `Invalid component name: ${name}`);
  }

  /** Paths that differ only in the names of their parameters are the same. */
  #checkPaths(): string[] {
    const paths = Object.keys(this.#document.paths as Json);
    const shapes = paths.map((path) => path.replace(/\{[^}]+\}/g, '{}'));
    return [
      ...paths.filter((path) => !path.startsWith('/')).map((path) => `${path} does not start with a slash`),
      ...paths.filter((_, index) => shapes.indexOf(shapes[index] ?? '') !== index).map((path) => `${path} is twice`),
    ];
  }

  #checkOperation({ method, path, id, operation }: Operation): string[] {
    const at = `${method} ${path}`;
    const { tags: declaredTags, components } = this.#document as { tags: { name: string }[]; components: Json };
    const responses = operation.responses as Record<string, Json>;
    const statuses = Object.keys(responses);
    const sameIds = this.operations.filter((other) => other.id === id);
    const tags = operation.tags as string[];
    const security = (operation.security ?? this.#document.security) as Json[];
    const schemes = components.securitySchemes as Json;
    return [
      ...(/^[a-z][a-zA-Z]+$/.test(id) && sameIds.length === 1 ? [] : [`${at}: operationId ${id}`]),
      ...(operation.summary ? [] : [`${at}: no summary`]),
      ...tags.filter((tag) => !declaredTags.some(({ name }) => name === tag)).map((tag) => `${at}: unknown tag ${tag}`),
      ...(statuses.some((status) => /^2\d\d$/.test(status)) ? [] : [`${at}: no success`]),
      ...(statuses.some((status) => /^4\d\d$/.test(status)) ? [] : [`${at}: no failure`]),
      ...statuses
        .filter((status) => !this.#follow(responses[status]).description)
        .map((one) => `${at}: ${one} has no text`),
      ...security
        .flatMap(Object.keys)
        .filter((name) => !(name in schemes))
        .map((name) => `${at}: no scheme ${name}`),
      ...this.#checkParameters(at, path, operation),
      ...(operation.requestBody && !(operation.requestBody as Json).content ? [`${at}: body without content`] : []),
      ...(operation.requestBody && method === 'get' ? [`${at}: a GET has a body`] : []),
    ];
  }

  #checkParameters(at: string, path: string, { parameters = [] }: { parameters?: Json[] }): string[] {
    const found = parameters.map((parameter) => this.#follow(parameter));
    const keys = found.map((parameter) => `${parameter.in} ${parameter.name}`);
    const inPath = found.filter((parameter) => parameter.in === 'path').map(({ name }) => String(name));
    const inTemplate = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
    return [
      ...(new Set(keys).size === keys.length ? [] : [`${at}: a parameter is twice`]),
      ...(inPath.sort().join() === inTemplate.sort().join() ? [] : [`${at}: parameters of the path: ${inPath}`]),
      ...found
        .filter((one) => one.in === 'path' && one.required !== true)
        .map(({ name }) => `${at}: ${name} is optional`),
      ...found.filter((one) => !one.schema).map(({ name }) => `${at}: ${name} has no schema`),
    ];
  }

  #checkSchemas(): string[] {
    const names = Object.keys((this.#document.components as { schemas: Json }).schemas);
    const invalid = names.flatMap((name) => {
      try {
        return this.#ajv.getSchema(`openapi#/components/schemas/${name}`) ? [] : [`${name} is no schema`];
      } catch (thrown) {
        return [`${name}: ${thrown}`];
      }
    });
    const old = [...listMembers(this.resolve('#/components/schemas'))].filter(
      ({ key, value, pointer }) =>
        !/\/(properties|mapping)$/.test(pointer.slice(0, pointer.lastIndexOf('/'))) &&
        (OLD_KEYWORDS.includes(key) || (key === 'items' && Array.isArray(value))) &&
        !/^\/[^/]+$/.test(pointer),
    );
    return [...invalid, ...old.map(({ pointer }) => `${pointer} is a keyword of an older draft`)];
  }

  /** `examples` beside a `schema`. */
  #checkExamples(): string[] {
    return [...listMembers(this.#document)].flatMap(({ key, value, pointer, owner }) => {
      if (key !== 'examples' || !('schema' in owner)) return [];
      const at = pointer.replace(/^\//, '').replace(/examples$/, 'schema');
      return Object.entries(value as Record<string, { value: unknown }>).flatMap(([name, example]) =>
        this.validate(at, example.value).map((problem) => `${pointer}/${name}: ${problem}`),
      );
    });
  }

  #follow(value: Json | undefined): Json {
    return value?.$ref ? (this.resolve(String(value.$ref)) as Json) : (value ?? {});
  }
}

interface Member {
  readonly key: string;
  readonly value: unknown;
  readonly pointer: string;
  readonly owner: Json;
}

/** Values of examples are data, and no part of the document. */
function* listMembers(value: unknown, pointer = ''): Generator<Member> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const at = `${pointer}/${escapePointer(key)}`;
    yield { key, value: member, pointer: at, owner: value as Json };
    if (key !== 'examples') yield* listMembers(member, at);
  }
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function unescapePointer(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}
