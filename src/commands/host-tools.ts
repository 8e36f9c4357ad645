// Creates tools from the definitions of set_host_tools. Loaded with the first use.
import { record, string, unknown } from 'valibot';
import { Fault, isRecord } from '../base/index.ts';
import { type HostConnection, type Tool, tool } from '../contracts/index.ts';

export function createHostTools(definitions: readonly unknown[], host: HostConnection): Tool[] {
  const tools = definitions.map((definition, index) => createHostTool(definition, index, host));
  const duplicate = tools.find(({ name }, index) => tools.findIndex((other) => other.name === name) < index);
  if (duplicate) throw new Fault('invalid_params', `Two host tools are called "${duplicate.name}"`);
  return tools;
}

function createHostTool(definition: unknown, index: number, host: HostConnection): Tool {
  const { name, description, parameters } = isRecord(definition) ? definition : {};
  if (!isNonEmptyString(name)) {
    throw new Fault('invalid_params', `Host tool at index ${index} must provide a non-empty name`);
  }
  if (!isNonEmptyString(description)) {
    throw new Fault('invalid_params', `Host tool "${name}" must provide a non-empty description`);
  }
  if (!isRecord(parameters)) throw new Fault('invalid_params', `Host tool "${name}" must provide a JSON Schema object`);
  return tool({
    name,
    doc: description,
    effect: 'execute',
    // Not validated here: the host decides how to answer invalid arguments.
    params: record(string(), unknown()),
    jsonSchema: parameters,
    run: (args, { toolCallId, signal, update }) =>
      host.callTool({ toolCallId, toolName: name, arguments: args }, { signal, update }),
  }) as unknown as Tool;
}

function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
