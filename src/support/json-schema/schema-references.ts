// Resolves `$ref`, `$dynamicRef` and `$recursiveRef` inside one schema document. Never loads other documents. Pure.
import { getOwnValue, isRecord } from '../../base/index.ts';
import type { JsonSchema } from '../../contracts/index.ts';

/** Keywords whose value is a schema or a list of schemas. */
const SUBSCHEMA_KEYWORDS = [
  ...['additionalItems', 'additionalProperties', 'allOf', 'anyOf', 'contains', 'contentSchema', 'else', 'if', 'items'],
  ...['not', 'oneOf', 'prefixItems', 'propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'],
];
/** Keywords whose value has a schema for each name. */
const NAMED_SUBSCHEMA_KEYWORDS = [
  ...['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'],
];
/** The URI of a document without `$id`. Names like `Node` are resolved relative to it. */
const DEFAULT_URI = 'schema:/';

interface Reference {
  readonly target: unknown;
  /** Set if the target is a dynamic anchor with this name. */
  readonly dynamicAnchor?: string;
}

export class SchemaReferences {
  /** The URI of the resource to which a subschema belongs. */
  readonly #resourceOf = new WeakMap<object, string>();
  readonly #roots = new Map<string, JsonSchema>();
  /** By URI with fragment. */
  readonly #anchors = new Map<string, JsonSchema>();
  readonly #dynamicAnchors = new Map<string, JsonSchema>();
  /** The targets of `$ref` that were resolved before, by the schema that contains it. */
  readonly #targets = new WeakMap<object, unknown>();

  constructor(root: JsonSchema) {
    this.#roots.set(DEFAULT_URI, root);
    this.#index(root, DEFAULT_URI);
  }

  getResource(schema: JsonSchema): string {
    return this.#resourceOf.get(schema) ?? DEFAULT_URI;
  }

  /** `undefined` when there is no such schema in the document. */
  resolve(reference: string, from: JsonSchema): unknown {
    if (!this.#targets.has(from)) this.#targets.set(from, this.#find(reference, from)?.target);
    return this.#targets.get(from);
  }

  /** The target in the outermost of the entered resources that has the same dynamic anchor. */
  resolveDynamic(reference: string, from: JsonSchema, resources: readonly string[]): unknown {
    const found = this.#find(reference, from);
    if (found?.dynamicAnchor === undefined) return found?.target;
    const outermost = resources.find((uri) => this.#dynamicAnchors.has(`${uri}#${found.dynamicAnchor}`));
    return this.#dynamicAnchors.get(`${outermost}#${found.dynamicAnchor}`) ?? found.target;
  }

  /** Before `$dynamicRef` existed, only the root of a resource could be a dynamic anchor. */
  resolveRecursive(from: JsonSchema, resources: readonly string[]): unknown {
    const isAnchor = (uri: string) => this.#roots.get(uri)?.$recursiveAnchor === true;
    const own = this.getResource(from);
    return this.#roots.get((isAnchor(own) ? resources.find(isAnchor) : undefined) ?? own);
  }

  #find(reference: string, from: JsonSchema): Reference | undefined {
    const [uri = '', fragment = ''] = resolveUri(reference, this.getResource(from)).split('#');
    const root = this.#roots.get(uri);
    if (fragment === '') return root && { target: root };
    if (fragment.startsWith('/')) return root && { target: this.#followPointer(root, fragment, uri) };
    const dynamic = this.#dynamicAnchors.get(`${uri}#${fragment}`);
    if (dynamic) return { target: dynamic, dynamicAnchor: fragment };
    const target = this.#anchors.get(`${uri}#${fragment}`);
    return target && { target };
  }

  #followPointer(root: JsonSchema, pointer: string, uri: string): unknown {
    let resource = uri;
    let node: unknown = root;
    for (const step of pointer.split('/').slice(1)) {
      const key = decodeFragment(step).replaceAll('~1', '/').replaceAll('~0', '~');
      node = Array.isArray(node) ? node[Number(key)] : isRecord(node) ? getOwnValue(node, key) : undefined;
      if (isRecord(node)) resource = this.#resourceOf.get(node) ?? resource;
    }
    // The target may be below a keyword that is not known to contain schemas.
    if (isRecord(node) && !this.#resourceOf.has(node)) this.#index(node, resource);
    return node;
  }

  /** Not recursive, because schemas may be nested deeply. */
  #index(root: JsonSchema, rootResource: string): void {
    const pending: [schema: unknown, resource: string][] = [[root, rootResource]];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const [schema, outer] = next;
      if (!isRecord(schema) || this.#resourceOf.has(schema)) continue;
      const resource = this.#indexNames(schema, outer);
      this.#resourceOf.set(schema, resource);
      for (const subschema of listSubschemas(schema)) pending.push([subschema, resource]);
    }
  }

  /** Returns the resource of the schema, which is another one if it has an `$id`. */
  #indexNames(schema: JsonSchema, outer: string): string {
    const { $id = schema.id, $anchor, $dynamicAnchor } = schema;
    let resource = outer;
    if (typeof $id === 'string') {
      const [uri = outer, fragment] = resolveUri($id, outer).split('#');
      // Before `$anchor` existed, an `$id` with a fragment was an anchor.
      if (fragment) this.#anchors.set(`${uri}#${fragment}`, schema);
      else resource = uri;
      if (!this.#roots.has(resource)) this.#roots.set(resource, schema);
    }
    if (typeof $anchor === 'string') this.#anchors.set(`${resource}#${$anchor}`, schema);
    if (typeof $dynamicAnchor === 'string') this.#dynamicAnchors.set(`${resource}#${$dynamicAnchor}`, schema);
    return resource;
  }
}

function listSubschemas(schema: JsonSchema): unknown[] {
  const direct = SUBSCHEMA_KEYWORDS.flatMap((keyword) => getOwnValue(schema, keyword) ?? []);
  const named = NAMED_SUBSCHEMA_KEYWORDS.flatMap((keyword) => {
    const schemas = getOwnValue(schema, keyword);
    return isRecord(schemas) ? Object.values(schemas) : [];
  });
  return [...direct, ...named];
}

function resolveUri(reference: string, base: string): string {
  try {
    return new URL(reference, base).href;
  } catch {
    // For example a relative name inside `urn:uuid:…`.
    return reference;
  }
}

function decodeFragment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
