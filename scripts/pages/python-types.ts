// Generates the protocol types as Python TypedDicts. Python 3.9 has no NotRequired, so a subclass has the optional fields.
import { isConnectionCommand, isReadCommand } from '../../src/client/read-commands.ts';
import { events } from '../../src/protocol/index.ts';
import { allCommands, allEventFrames } from './frames.ts';
import { type JsonSchema, nameOfRef } from './json-schema.ts';
import { pascalCase } from './naming.ts';
import { optionsOf } from './type-text.ts';

type Definitions = Readonly<Record<string, JsonSchema>>;

/** Fields that distinguish the options of a union. Their values become part of the type names. */
const DISCRIMINATORS = ['method', 'role', 'type', 'status'];
/** Python keywords cannot be field names. */
const KEYWORDS = new Set([
  'from',
  'class',
  'global',
  'import',
  'in',
  'is',
  'lambda',
  'pass',
  'return',
  'with',
  'async',
]);

/** Collects types, including inner types, which get names. */
export class PythonTypes {
  readonly #texts = new Map<string, string>();

  /** The annotation of a value. An inner type without a name gets `name`. */
  annotation(schema: JsonSchema, name: string): string {
    if (schema.$ref) return `"${nameOfRef(schema.$ref)}"`;
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    const options = optionsOf(schema);
    if (options) return this.#union(options, name);
    if (schema.type === 'array') return `List[${this.annotation(schema.items ?? {}, `${name}Item`)}]`;
    if (schema.properties) return this.#record(name, schema);
    if (schema.type === 'object') return `Dict[str, ${this.#valueType(schema, name)}]`;
    return plain(schema);
  }

  define(name: string, schema: JsonSchema): void {
    if (schema.properties) this.#record(name, schema);
    else this.#add(name, `${name} = ${this.annotation(schema, name)}\n`);
  }

  /** Types in the order of their definition, inner types first. */
  text(): string {
    return [...this.#texts.values()].join('\n\n');
  }

  #union(options: readonly JsonSchema[], name: string): string {
    const names = suffixes(options);
    const texts = options.map((option, i) => this.annotation(option, `${name}${names[i]}`));
    const distinct = [...new Set(texts)];
    return distinct.length === 1 ? (distinct[0] as string) : `Union[${distinct.join(', ')}]`;
  }

  #valueType({ additionalProperties }: JsonSchema, name: string): string {
    return typeof additionalProperties === 'object' ? this.annotation(additionalProperties, `${name}Value`) : 'Any';
  }

  #record(name: string, schema: JsonSchema): string {
    const fields = Object.entries(schema.properties ?? {}).map(([field, of]) => ({
      field,
      annotation: this.annotation(of, `${name}${pascalCase(field)}`),
      isRequired: schema.required?.includes(field) ?? false,
    }));
    const invalid = fields.find(({ field }) => KEYWORDS.has(field) || !/^[A-Za-z_]\w*$/.test(field));
    if (invalid) throw new Error(`${name}.${invalid.field} cannot be a field of a Python class`);
    const needed = fields.filter((field) => field.isRequired);
    const optional = fields.filter((field) => !field.isRequired);
    const doc = schema.description ? `    """${schema.description.replaceAll('"""', "'''")}"""\n\n` : '';
    if (optional.length === 0 || needed.length === 0) {
      const base = needed.length > 0 || fields.length === 0 ? 'TypedDict' : 'TypedDict, total=False';
      this.#add(name, `class ${name}(${base}):\n${doc}${body(fields)}`);
    } else {
      const required = `class _${name}(TypedDict):\n${body(needed)}`;
      this.#add(name, `${required}\n\nclass ${name}(_${name}, total=False):\n${doc}${body(optional)}`);
    }
    return `"${name}"`;
  }

  #add(name: string, text: string): void {
    if (this.#texts.has(name) && this.#texts.get(name) !== text) throw new Error(`Two types are called ${name}`);
    this.#texts.set(name, text);
  }
}

const HEAD = `"""Types of the protocol. Generated from the declarations by \`npm run docs\`; do not edit."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, Literal, TypedDict, Union

`;

/** The module parley_agent/protocol.py. */
export function pythonTypes(wire: Definitions, types: Definitions): string {
  const python = new PythonTypes();
  for (const [name, schema] of Object.entries(types)) python.define(name, schema);
  for (const { name, result } of allCommands) {
    if (result) defineResult(python, wire, name);
  }
  const eventNames = [...Object.keys(allEventFrames), 'MessageUpdateDeltaEvent'];
  for (const name of [...eventNames, 'Ready']) {
    python.define(name, wire[name] ?? {});
  }
  const named = eventNames.map((name) => `"${name}"`);
  const commandNames = allCommands.map(({ name }) => name);
  const known = events.map(({ type }) => `        "${type}",\n`).join('');
  return `${HEAD}
${python.text()}

AgentEvent = Union[${named.join(', ')}]

EVENT_TYPES: FrozenSet[str] = frozenset(
    {
${known}    }
)

READ_COMMANDS: FrozenSet[str] = ${setOf(commandNames.filter(isReadCommand))}
"""Commands that change nothing. A client sends them again after a broken connection."""

CONNECTION_COMMANDS: FrozenSet[str] = ${setOf(commandNames.filter(isConnectionCommand))}
"""Their effect ends with the connection. A client sends the last ones again on a new connection."""
`;
}

function setOf(names: readonly string[]): string {
  return `frozenset(\n    {\n${names.map((name) => `        "${name}",\n`).join('')}    }\n)`;
}

/** The result type of a command: its own name, or one derived from the command. */
export function resultName(wire: Definitions, command: string): string | undefined {
  const data = wire[`${pascalCase(command)}Response`]?.properties?.data;
  if (!data) return undefined;
  return data.$ref ? nameOfRef(data.$ref) : `${pascalCase(command)}Result`;
}

function defineResult(python: PythonTypes, wire: Definitions, command: string): void {
  const data = wire[`${pascalCase(command)}Response`]?.properties?.data ?? {};
  if (!data.$ref) python.define(`${pascalCase(command)}Result`, data);
}

function body(fields: readonly { field: string; annotation: string }[]): string {
  if (fields.length === 0) return '    pass\n';
  return fields.map(({ field, annotation }) => `    ${field}: ${annotation}\n`).join('');
}

function plain({ type }: JsonSchema): string {
  if (type === undefined) return 'Any';
  const text = { string: 'str', number: 'float', integer: 'int', boolean: 'bool', null: 'None' }[type];
  if (!text) throw new Error(`No Python type for ${type}`);
  return text;
}

function literal(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return 'None';
  return JSON.stringify(value);
}

/** Name suffixes of the options of a union, from a discriminator; numbered if they are equal. */
function suffixes(options: readonly JsonSchema[]): string[] {
  const names = options.map(({ properties = {} }) => {
    const value = DISCRIMINATORS.map((field) => properties[field]?.const).find(
      (candidate) => typeof candidate === 'string',
    );
    return pascalCase(String(value ?? 'Option').replaceAll(/\W/g, '_'));
  });
  return names.map((name, i) => {
    const before = names.slice(0, i).filter((other) => other === name).length;
    return before > 0 ? `${name}${before + 1}` : name;
  });
}
