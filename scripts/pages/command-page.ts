// Generates docs/protocol/commands.md from the declarations of src/commands.
import type { Command } from '../../src/contracts/index.ts';
import type { Exchange } from './examples.ts';
import { allCommands } from './frames.ts';
import type { JsonSchema } from './json-schema.ts';
import { frames, page, section } from './markdown.ts';
import { anchorOf, pascalCase } from './naming.ts';
import { fieldTable, optionsOf, typeCell } from './type-text.ts';

const LANES = {
  now: 'starts immediately; it sees the effects of all earlier short commands and does not wait for long ones',
  ordered: 'one at a time, in order of arrival',
  run: 'starts in order; the next command starts as soon as this one has started',
};

export function commandPage(
  definitions: Record<string, JsonSchema>,
  examples: ReadonlyMap<string, readonly Exchange[]>,
): string {
  return page(
    '# Commands',
    'Commands are frames from the host. Every command has an optional `id`, a string or a number, which its response repeats. Unknown fields are ignored.',
    'In the protocol each frame is one line; long frames are wrapped here. The response of a failed command has `"success": false` and a message in `error`.',
    `The lane of a command determines when it runs relative to others:\n\n${Object.entries(LANES)
      .map(([lane, meaning]) => `- \`${lane}\`: ${meaning}.`)
      .join('\n')}`,
    'A command with the access `read` changes nothing but the connection of the client that calls it. Clients of `parley serve` with read-only access can call only these.',
    allCommands.map(({ name }) => `[${name}](#${anchorOf(name)})`).join(' · '),
    ...allCommands.map((command) => describe(command, definitions, examples.get(command.name) ?? [])),
  );
}

function describe(command: Command, definitions: Record<string, JsonSchema>, examples: readonly Exchange[]): string {
  const { name, doc, lane, long, access, stability = 'stable' } = command;
  return section(
    `## ${name}`,
    doc,
    `Lane \`${lane}\`${long ? ', may take long' : ''}${access === 'read' ? ' · access `read`' : ''} · [${stability}](../stability.md)`,
    parameters(definitions[`${pascalCase(name)}Command`] ?? {}),
    result(definitions[`${pascalCase(name)}Response`]?.properties?.data),
    ...examples.map(({ request, response }) => frames(request, ...(response ? [response] : []))),
  );
}

function parameters({ properties = {}, required }: JsonSchema): string | undefined {
  const { id: _id, type: _type, ...params } = properties;
  const table = fieldTable({ properties: params, ...(required ? { required } : {}) }, 'required');
  return table ? `Parameters\n\n${table}` : 'No parameters.';
}

function result(data: JsonSchema | undefined): string {
  if (!data) return 'The response has no data.';
  const options = optionsOf(data) ?? [data];
  const objectSchema = options.find(({ properties }) => properties);
  if (!objectSchema) return `Result, in \`data\`: ${typeCell(data)}`;
  const others = options.filter((option) => option !== objectSchema).map((option) => `, or ${typeCell(option)}`);
  return `Result, in \`data\`${others.join('')}\n\n${fieldTable(objectSchema)}`;
}
