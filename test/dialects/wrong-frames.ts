// Every way in which a frame can miss what its dialect publishes about it: one field wrong or missing, all others as they should be.
import { complaints, type SchemaDocument, type SchemaNode } from '../support/json-schema.ts';

type Fields = Record<string, unknown>;
type Properties = Readonly<Record<string, SchemaNode>>;

export interface WrongFrame {
  /** What the host calls it. */
  readonly word: string;
  /** The way to the field that is wrong, by names alone. */
  readonly path: readonly string[];
  /** It is not there at all. */
  readonly isGone: boolean;
  readonly frame: Readonly<Fields>;
}

type Slip = Pick<WrongFrame, 'path' | 'isGone'> & { readonly value: unknown };

const WRONG = [null, true, false, 0, -1, 1.5, 7, 1e308, '', 'nonsense', '7', [], [null], {}, { a: 1 }, [[[[]]]]];

/** Of the frame with this definition. Where it has `params`, those are what can be wrong. */
export function wrongFrames(document: SchemaDocument, definition: string): WrongFrame[] {
  const walk = new Walk(document);
  const { properties } = walk.resolved({ $ref: `#/definitions/${definition}` }) as { properties: Properties };
  const { id: _, type, jsonrpc, method, params, ...fields } = properties;
  if (!params) {
    const word = String(type?.const);
    return walk
      .slips({ properties: fields, required: requiredOf(document, definition) })
      .map(({ value, ...slip }) => ({ word, ...slip, frame: { type: word, ...(value as Fields) } }));
  }
  const word = String(method?.const);
  const envelope = { jsonrpc: jsonrpc?.const, method: word };
  return walk
    .slips(walk.resolved(params))
    .map(({ value, ...slip }) => ({ word, ...slip, frame: { ...envelope, params: value } }));
}

function requiredOf(document: SchemaDocument, definition: string): unknown {
  return document.definitions[definition]?.required;
}

class Walk {
  readonly #document: SchemaDocument;

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  resolved(node: SchemaNode): SchemaNode {
    if (typeof node.$ref !== 'string') return node;
    return this.resolved(this.#document.definitions[node.$ref.replace('#/definitions/', '')] ?? {});
  }

  /** Objects of this kind with one thing wrong somewhere inside them. */
  slips(node: SchemaNode): Slip[] {
    const properties = (node.properties ?? {}) as Properties;
    const good = this.#good({ type: 'object', ...node }) as Fields;
    const missing = Object.keys(good).map((name) => {
      const { [name]: _, ...value } = good;
      return { path: [name], isGone: true, value };
    });
    const wrong = Object.entries(properties).flatMap(([name, property]) =>
      this.#wrong(property).map(({ path, isGone, value }) => ({
        path: [name, ...path],
        isGone,
        value: { ...good, [name]: value },
      })),
    );
    return [...missing, ...wrong];
  }

  /** Values that are not of this kind: others in its place, and some that are wrong inside. */
  #wrong(raw: SchemaNode): Slip[] {
    const node = this.resolved(raw);
    const inside = this.#options(node).flatMap((option): Slip[] => {
      if (option.type === 'object') return this.slips(option);
      if (option.type !== 'array') return [];
      return this.#wrong(option.items as SchemaNode).map((slip) => ({ ...slip, value: [slip.value] }));
    });
    const others = WRONG.map((value) => ({ path: [], isGone: false, value }));
    return [...others, ...inside].filter(({ value }) => !this.#fits(node, value));
  }

  #options(node: SchemaNode): SchemaNode[] {
    const options = (node.anyOf ?? node.oneOf) as SchemaNode[] | undefined;
    return options ? options.flatMap((option) => this.#options(this.resolved(option))) : [node];
  }

  /** Something of this kind, with nothing that need not be there. */
  #good(raw: SchemaNode): unknown {
    const [node = {}] = this.#options(this.resolved(raw));
    if ('const' in node) return node.const;
    if (Array.isArray(node.enum)) return node.enum[0];
    if (node.type !== 'object') {
      return { string: 'x', number: 1, integer: 1, boolean: true, array: [] }[String(node.type)] ?? null;
    }
    const properties = (node.properties ?? {}) as Properties;
    const needed = ((node.required ?? []) as string[]).filter((name) => name in properties);
    return Object.fromEntries(needed.map((name) => [name, this.#good(properties[name] ?? {})]));
  }

  #fits(node: SchemaNode, value: unknown): boolean {
    const definitions = { ...this.#document.definitions, $looked: node };
    return complaints({ ...this.#document, definitions }, '$looked', value).length === 0;
  }
}
