// Documents: schema/opal.openrpc.json. The methods of the opal dialect, from its table and the commands that it names.
import { toJsonSchema } from '@valibot/to-json-schema';
import { isRecord } from '../../src/base/index.ts';
import { deskCommands } from '../../src/commands/desk/index.ts';
import type { Command } from '../../src/contracts/index.ts';
import { METHODS, type Method, PROTOCOL_VERSION } from '../../src/dialects/opal/methods.ts';
import { snake } from '../../src/dialects/opal/spelling.ts';
import { allCommands } from './frames.ts';
import type { JsonSchema } from './json-schema.ts';

const text: JsonSchema = { type: 'string' };
const byName = new Map([...allCommands, ...deskCommands].map((command) => [command.name, command as Command]));

/** https://spec.open-rpc.org, 1.3 */
export function openRpc(): JsonSchema {
  return {
    openrpc: '1.3.2',
    info: { title: 'The opal dialect of Parley', version: PROTOCOL_VERSION },
    methods: [...METHODS].map(([name, method]) => methodOf(name, method)),
  };
}

function methodOf(name: string, method: Method): JsonSchema {
  const command = byName.get(method.command);
  if (!command) throw new Error(`${name} means ${method.command}, which is no command`);
  // Where the table puts other words in their place, those that it requires are all there are.
  const given = method.params ? {} : (spelled(command.params).properties ?? {});
  const names = [...new Set([...method.required, ...Object.keys(given)])];
  return {
    name,
    description: command.doc,
    paramStructure: 'by-name',
    params: names.map((param) => ({
      name: param,
      required: method.required.includes(param),
      schema: given[param] ?? text,
    })),
    result: { name: 'result', schema: resultOf(command, method) },
  };
}

function resultOf(command: Command, method: Method): JsonSchema {
  return command.result && !method.result ? spelled(command.result) : { type: 'object' };
}

function spelled(schema: Command['params']): JsonSchema {
  const { $schema: _, ...plain } = toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore' });
  return renamed(plain) as JsonSchema;
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key === 'required' && Array.isArray(inner)) return [key, inner.map((name) => snake(String(name)))];
      if (key !== 'properties' || !isRecord(inner)) return [key, renamed(inner)];
      return [key, Object.fromEntries(Object.entries(inner).map(([name, one]) => [snake(name), renamed(one)]))];
    }),
  );
}
