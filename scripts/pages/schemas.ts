// Documents: the JSON Schemas of the wire and of the session log.
import { events } from '../../src/protocol/index.ts';
import type { Remarks } from './comments.ts';
import { allCommands, allEventFrames, ompFrames } from './frames.ts';
import { documentOf, type JsonSchema, protocolTypes, refTo, toDefinitions } from './json-schema.ts';
import { pascalCase } from './naming.ts';

/** Every frame of the wire and every type, described by their declarations. */
export function wireDefinitions(remarks: ReadonlyMap<string, Remarks>): Record<string, JsonSchema> {
  const definitions = toDefinitions({ ...allEventFrames, ...ompFrames, ...protocolTypes }, remarks);
  const docs = [
    ...allCommands.map(({ name, doc }) => [`${pascalCase(name)}Command`, doc] as const),
    ...events.map(({ type, doc }) => [`${pascalCase(type)}Event`, doc] as const),
  ];
  for (const [name, doc] of docs) definitions[name] = { description: doc, ...definitions[name] };
  return definitions;
}

export function ompSchema(definitions: Record<string, JsonSchema>): JsonSchema {
  const root = {
    title: 'The omp dialect of Parley',
    description: 'One frame, either way. HostFrame is what a host may send, AgentFrame what it may get.',
    anyOf: [refTo('HostFrame'), refTo('AgentFrame')],
  };
  return documentOf(root, definitions);
}

export function entrySchema(definitions: Record<string, JsonSchema>): JsonSchema {
  const root = {
    title: 'A line of a Parley session log',
    description: 'The first line is the header, every further one an entry whose parentId names the entry before it.',
    anyOf: [refTo('SessionHeader'), refTo('SessionEntry')],
  };
  return documentOf(root, definitions);
}
