// Documents: everything that is generated from the declarations, as path and text. Writes nothing itself.
import { join } from 'node:path';
import { events } from '../../src/protocol/index.ts';
import { commandPage } from './command-page.ts';
import { readRemarks } from './comments.ts';
import { eventPage } from './event-page.ts';
import { commandExamples, eventExamples } from './examples.ts';
import { allCommands, ompFrames } from './frames.ts';
import { indexPage } from './index-page.ts';
import { documentOf, type JsonSchema, protocolTypes, refTo, toDefinitions } from './json-schema.ts';
import { pascalCase } from './naming.ts';
import { settingsPage, settingsSchema } from './settings-page.ts';
import { toolPage } from './tool-page.ts';
import { typePage } from './type-page.ts';

/** Paths are relative to the root of the project. The same declarations always give the same texts. */
export async function generate(root: string): Promise<ReadonlyMap<string, string>> {
  const remarks = await readRemarks(join(root, 'src/protocol'));
  const types = toDefinitions(protocolTypes, remarks);
  const wire = toDefinitions({ ...ompFrames, ...protocolTypes }, remarks);
  describeFrames(wire);
  const examples = await commandExamples();
  return new Map([
    ['docs/protocol/README.md', indexPage(examples)],
    ['docs/protocol/commands.md', commandPage(wire, examples)],
    ['docs/protocol/events.md', eventPage(wire, await eventExamples())],
    ['docs/protocol/types.md', typePage(types)],
    ['docs/protocol/tools.md', toolPage()],
    ['docs/protocol/settings.md', settingsPage()],
    ['schema/omp.json', toText(ompSchema(wire))],
    ['schema/settings.json', toText(settingsSchema())],
    ['schema/session-entry.json', toText(entrySchema(types))],
  ]);
}

function describeFrames(definitions: Record<string, JsonSchema>): void {
  const docs = [
    ...allCommands.map(({ name, doc }) => [`${pascalCase(name)}Command`, doc] as const),
    ...events.map(({ type, doc }) => [`${pascalCase(type)}Event`, doc] as const),
  ];
  for (const [name, doc] of docs) definitions[name] = { description: doc, ...definitions[name] };
}

function ompSchema(definitions: Record<string, JsonSchema>): JsonSchema {
  const root = {
    title: 'The omp dialect of Parley',
    description: 'One frame, either way. HostFrame is what a host may send, AgentFrame what it may get.',
    anyOf: [refTo('HostFrame'), refTo('AgentFrame')],
  };
  return documentOf(root, definitions);
}

function entrySchema(definitions: Record<string, JsonSchema>): JsonSchema {
  const root = {
    title: 'A line of a Parley session log',
    description: 'The first line is the header, every further one an entry whose parentId names the entry before it.',
    anyOf: [refTo('SessionHeader'), refTo('SessionEntry')],
  };
  return documentOf(root, definitions);
}

function toText(schema: JsonSchema): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
