// Generates frames that violate the published schema in exactly one field: wrong or missing.
import { type SchemaDocument, type SchemaNode, validateDefinition } from '../support/json-schema.ts';

type Fields = Record<string, unknown>;
type Properties = Readonly<Record<string, SchemaNode>>;

export interface WrongFrame {
  /** The type or the method of the frame. */
  readonly name: string;
  /** Path of the wrong field, without array indexes. */
  readonly path: readonly string[];
  /** The field is missing. */
  readonly isMissing: boolean;
  readonly frame: Readonly<Fields>;
}

type Violation = Pick<WrongFrame, 'path' | 'isMissing'> & { readonly value: unknown };

const WRONG = [null, true, false, 0, -1, 1.5, 7, 1e308, '', 'nonsense', '7', [], [null], {}, { a: 1 }, [[[[]]]]];

/** For the frame with this definition. If it has `params`, only they are varied. */
export function wrongFrames(document: SchemaDocument, definition: string): WrongFrame[] {
  const walker = new SchemaWalker(document);
  const { properties } = walker.resolve({ $ref: `#/definitions/${definition}` }) as { properties: Properties };
  const { id: _, type, jsonrpc, method, params, ...fields } = properties;
  if (!params) {
    const name = String(type?.const);
    return walker
      .createViolations({ properties: fields, required: getRequired(document, definition) })
      .map(({ value, ...violation }) => ({ name, ...violation, frame: { type: name, ...(value as Fields) } }));
  }
  const name = String(method?.const);
  const envelope = { jsonrpc: jsonrpc?.const, method: name };
  return walker
    .createViolations(walker.resolve(params))
    .map(({ value, ...violation }) => ({ name, ...violation, frame: { ...envelope, params: value } }));
}

function getRequired(document: SchemaDocument, definition: string): unknown {
  return document.definitions[definition]?.required;
}

class SchemaWalker {
  readonly #document: SchemaDocument;

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  resolve(node: SchemaNode): SchemaNode {
    if (typeof node.$ref !== 'string') return node;
    return this.resolve(this.#document.definitions[node.$ref.replace('#/definitions/', '')] ?? {});
  }

  /** Objects of this schema with one violation. */
  createViolations(node: SchemaNode): Violation[] {
    const properties = (node.properties ?? {}) as Properties;
    const valid = this.#createValidValue({ type: 'object', ...node }) as Fields;
    const missing = Object.keys(valid).map((name) => {
      const { [name]: _, ...value } = valid;
      return { path: [name], isMissing: true, value };
    });
    const wrong = Object.entries(properties).flatMap(([name, property]) =>
      this.#createWrongValues(property).map(({ path, isMissing, value }) => ({
        path: [name, ...path],
        isMissing,
        value: { ...valid, [name]: value },
      })),
    );
    return [...missing, ...wrong];
  }

  /** Values that violate this schema: other values, and values with a violation inside. */
  #createWrongValues(raw: SchemaNode): Violation[] {
    const node = this.resolve(raw);
    const nested = this.#getAlternatives(node).flatMap((option): Violation[] => {
      if (option.type === 'object') return this.createViolations(option);
      if (option.type !== 'array') return [];
      return this.#createWrongValues(option.items as SchemaNode).map((violation) => ({
        ...violation,
        value: [violation.value],
      }));
    });
    const others = WRONG.map((value) => ({ path: [], isMissing: false, value }));
    return [...others, ...nested].filter(({ value }) => !this.#isValid(node, value));
  }

  #getAlternatives(node: SchemaNode): SchemaNode[] {
    const options = (node.anyOf ?? node.oneOf) as SchemaNode[] | undefined;
    return options ? options.flatMap((option) => this.#getAlternatives(this.resolve(option))) : [node];
  }

  /** A minimal valid value, with required fields only. */
  #createValidValue(raw: SchemaNode): unknown {
    const [node = {}] = this.#getAlternatives(this.resolve(raw));
    if ('const' in node) return node.const;
    if (Array.isArray(node.enum)) return node.enum[0];
    if (node.type !== 'object') {
      return { string: 'x', number: 1, integer: 1, boolean: true, array: [] }[String(node.type)] ?? null;
    }
    const properties = (node.properties ?? {}) as Properties;
    const needed = ((node.required ?? []) as string[]).filter((name) => name in properties);
    return Object.fromEntries(needed.map((name) => [name, this.#createValidValue(properties[name] ?? {})]));
  }

  #isValid(node: SchemaNode, value: unknown): boolean {
    const definitions = { ...this.#document.definitions, $checked: node };
    return validateDefinition({ ...this.#document, definitions }, '$checked', value).length === 0;
  }
}
