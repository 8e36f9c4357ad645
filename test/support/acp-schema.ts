// Validates frames of the Agent Client Protocol against the schemas of its SDK. Frames must match the stable schema. Keys that no schema
// declares, stable or unstable, are errors too, except in `_meta`.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

type Node = Record<string, unknown>;
export type AcpFrame = Readonly<Record<string, unknown>>;
export type Sender = 'client' | 'agent';

const DIRECTORY = new URL('../../node_modules/@agentclientprotocol/sdk/schema/v1/', import.meta.url);
const readSchema = (file: string): Node => JSON.parse(readFileSync(fileURLToPath(new URL(file, DIRECTORY)), 'utf8'));
const stable = readSchema('schema.json');
const unstable = readSchema('schema.unstable.json');
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
ajv.addSchema(stable, 'stable');
ajv.addSchema(closeObjects(unstable) as Node, 'closed');

/** Definitions of the params and the result of each method. */
const METHODS = new Map<string, { params?: string; result?: string }>();
for (const [name, definition] of Object.entries(unstable.$defs as Record<string, Node>)) {
  const method = definition['x-method'];
  if (typeof method !== 'string') continue;
  METHODS.set(method, { ...METHODS.get(method), [name.endsWith('Response') ? 'result' : 'params']: name });
}

/** The methods of the stable protocol that one side offers. */
export function listMethods(side: 'agent' | 'client'): string[] {
  const definitions = Object.values(stable.$defs as Record<string, Node>);
  return [...new Set(definitions.filter((node) => node['x-side'] === side).map((node) => String(node['x-method'])))];
}

/** The kinds of `session/update` of the stable protocol. */
export function listUpdateKinds(): string[] {
  type Variant = { properties: { sessionUpdate: { const: string } } };
  const { SessionUpdate } = stable.$defs as { SessionUpdate: { oneOf: Variant[] } };
  return SessionUpdate.oneOf.map(({ properties }) => properties.sessionUpdate.const);
}

const validators = new Map<string, ValidateFunction>();
function compile(schema: string, definition: string, isClosed: boolean): ValidateFunction {
  const key = `${schema}/${definition}`;
  const found = validators.get(key);
  if (found) return found;
  const reference = { $ref: `${schema}#/$defs/${definition}` };
  const validator = ajv.compile(isClosed ? { ...reference, unevaluatedProperties: false } : reference);
  validators.set(key, validator);
  return validator;
}

/** Refuses undeclared keys wherever a value has declared ones. */
function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([keyword, value]) => {
      if (keyword === 'properties') {
        return [keyword, Object.fromEntries(Object.entries(value as Node).map(([key, v]) => [key, closeValue(v)]))];
      }
      return [keyword, keyword === 'items' ? closeValue(value) : closeObjects(value)];
    }),
  );
}

function closeValue(schema: unknown): unknown {
  const closed = closeObjects(schema) as Node;
  const isDeclared = ['$ref', 'allOf', 'anyOf', 'oneOf', 'properties'].some((keyword) => keyword in closed);
  return isDeclared ? { ...closed, unevaluatedProperties: false } : closed;
}

function findErrors(definition: string, value: unknown): string[] {
  const isStable = definition in (stable.$defs as Node);
  const checks = [...(isStable ? [compile('stable', definition, false)] : []), compile('closed', definition, true)];
  return checks.flatMap((check) =>
    check(value)
      ? []
      : (check.errors ?? []).map(
          ({ instancePath, message, params }) => `${definition}${instancePath} ${message} ${JSON.stringify(params)}`,
        ),
  );
}

/** Checks the frames of one connection, in the order in which they are sent. */
export function createFrameChecker(): (sender: Sender, frame: AcpFrame) => string[] {
  /** The methods of open requests, by their sender and id. */
  const open = new Map<string, string>();
  return (sender, frame) => {
    const { jsonrpc, id, method, params, result, error, ...others } = frame;
    const problems = Object.keys(others).map((key) => `unknown key ${key}`);
    if (jsonrpc !== '2.0') problems.push('jsonrpc is not 2.0');
    if (typeof method === 'string') {
      if ('id' in frame) open.set(`${sender} ${JSON.stringify(id)}`, method);
      const definition = METHODS.get(method)?.params;
      if (!definition && !method.startsWith('_')) problems.push(`unknown method ${method}`);
      return definition ? [...problems, ...findErrors(definition, params)] : problems;
    }
    const key = `${sender === 'agent' ? 'client' : 'agent'} ${JSON.stringify(id)}`;
    const asked = open.get(key);
    open.delete(key);
    // A frame that cannot be parsed has no id.
    if (asked === undefined && !(error !== undefined && id === null)) {
      return [...problems, `a response without a request: ${JSON.stringify(id)}`];
    }
    if (error !== undefined) return [...problems, ...findErrors('Error', error)];
    const definition = METHODS.get(asked ?? '')?.result;
    return definition ? [...problems, ...findErrors(definition, result)] : problems;
  };
}
