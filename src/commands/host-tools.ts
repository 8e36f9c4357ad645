// First floor, commands: tools as a host describes them, as tools that the model may call. Loaded when a host has some.
import { record, string, unknown } from 'valibot';
import { Fault, isRecord } from '../base/index.ts';
import { type HostSide, type Tool, tool } from '../contracts/index.ts';

export function hostTools(described: readonly unknown[], host: HostSide): Tool[] {
  const tools = described.map((one, index) => hostTool(one, index, host));
  const twice = tools.find(({ name }, index) => tools.findIndex((other) => other.name === name) < index);
  if (twice) throw new Fault('invalid_params', `Two host tools are called "${twice.name}"`);
  return tools;
}

function hostTool(described: unknown, index: number, host: HostSide): Tool {
  const { name, description, parameters } = isRecord(described) ? described : {};
  if (!isWords(name)) {
    throw new Fault('invalid_params', `Host tool at index ${index} must provide a non-empty name`);
  }
  if (!isWords(description)) {
    throw new Fault('invalid_params', `Host tool "${name}" must provide a non-empty description`);
  }
  if (!isRecord(parameters)) throw new Fault('invalid_params', `Host tool "${name}" must provide a JSON Schema object`);
  return tool({
    name,
    doc: description,
    effect: 'execute',
    // The host knows its own tools: what it does with arguments that do not fit is its answer to the model.
    params: record(string(), unknown()),
    parameters,
    run: (given, { toolCallId, signal, update }) =>
      host.carryOut({ toolCallId, toolName: name, arguments: given }, { signal, update }),
  }) as unknown as Tool;
}

function isWords(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
