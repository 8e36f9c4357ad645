// Documents: docs/protocol/commands.md. What a host may ask, from the declarations of src/commands.
import type { Command } from '../../src/contracts/index.ts';
import type { Exchange } from './examples.ts';
import { allCommands } from './frames.ts';
import type { JsonSchema } from './json-schema.ts';
import { frames, page, section } from './markdown.ts';
import { anchorOf, pascalCase } from './naming.ts';
import { fieldTable, optionsOf, typeCell } from './type-text.ts';

const LANES = {
  now: 'at once; it sees the effect of every short command before it and waits for no long one',
  ordered: 'one at a time, in the order they came',
  run: 'begun in order; the next one follows as soon as this one has begun',
};

export function commandPage(
  definitions: Record<string, JsonSchema>,
  examples: ReadonlyMap<string, readonly Exchange[]>,
): string {
  return page(
    '# Commands',
    'What a host may ask. Every command takes an optional `id`, a string or a number, which its response repeats. Fields that nobody knows are ignored.',
    'On the wire each frame is one line; here long ones are broken for reading. A command that fails answers with `"success": false` and a sentence in `error`.',
    `The lane of a command says when it runs beside others:\n\n${Object.entries(LANES)
      .map(([lane, meaning]) => `- \`${lane}\`: ${meaning}.`)
      .join('\n')}`,
    allCommands.map(({ name }) => `[${name}](#${anchorOf(name)})`).join(' · '),
    ...allCommands.map((command) => describe(command, definitions, examples.get(command.name) ?? [])),
  );
}

function describe(command: Command, definitions: Record<string, JsonSchema>, examples: readonly Exchange[]): string {
  const { name, doc, lane, long, stability = 'stable' } = command;
  return section(
    `## ${name}`,
    doc,
    `Lane \`${lane}\`${long ? ', may take long' : ''} · [${stability}](../stability.md)`,
    parameters(definitions[`${pascalCase(name)}Command`] ?? {}),
    result(definitions[`${pascalCase(name)}Response`]?.properties?.data),
    ...examples.map(({ request, response }) => frames(request, ...(response ? [response] : []))),
  );
}

function parameters({ properties = {}, required }: JsonSchema): string | undefined {
  const { id: _id, type: _type, ...own } = properties;
  const table = fieldTable({ properties: own, ...(required ? { required } : {}) }, 'required');
  return table ? `Parameters\n\n${table}` : 'No parameters.';
}

function result(data: JsonSchema | undefined): string {
  if (!data) return 'Answers with success alone.';
  const options = optionsOf(data) ?? [data];
  const shape = options.find(({ properties }) => properties);
  if (!shape) return `Result, in \`data\`: ${typeCell(data)}`;
  const others = options.filter((option) => option !== shape).map((option) => `, or ${typeCell(option)}`);
  return `Result, in \`data\`${others.join('')}\n\n${fieldTable(shape)}`;
}
