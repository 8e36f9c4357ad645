// Documents: the JSON Schemas of the wires and of the session log.
import { omp } from '../../src/dialects/index.ts';
import { pi } from '../../src/dialects/pi/index.ts';
import { piLegacy } from '../../src/dialects/pi-legacy/index.ts';
import { events } from '../../src/protocol/index.ts';
import type { Remarks } from './comments.ts';
import { allCommands, allEventFrames, type Definitions, ompFrames } from './frames.ts';
import { legacyFrames } from './frames-legacy.ts';
import { opalDefinitions } from './frames-opal.ts';
import { piFrames } from './frames-pi.ts';
import { documentOf, type JsonSchema, protocolTypes, refTo, toDefinitions } from './json-schema.ts';
import { pascalCase } from './naming.ts';

type AllRemarks = ReadonlyMap<string, Remarks>;

/** Every dialect that is spoken, with its frames. */
const WIRES = [
  { dialect: omp, frames: ompFrames },
  { dialect: pi, frames: piFrames },
  { dialect: piLegacy, frames: legacyFrames },
];

/** Every frame of the default wire, every event and every type, described by their declarations. */
export function wireDefinitions(remarks: AllRemarks): Record<string, JsonSchema> {
  return described({ ...allEventFrames, ...ompFrames }, remarks);
}

function described(frames: Definitions, remarks: AllRemarks): Record<string, JsonSchema> {
  const definitions = toDefinitions({ ...frames, ...protocolTypes }, remarks);
  const docs = [
    ...allCommands.map(({ name, doc }) => [`${pascalCase(name)}Command`, doc] as const),
    ...events.map(({ type, doc }) => [`${pascalCase(type)}Event`, doc] as const),
  ];
  for (const [name, doc] of docs) {
    if (definitions[name]) definitions[name] = { description: doc, ...definitions[name] };
  }
  return definitions;
}

/** By the dialect's name. */
export function wireSchemas(remarks: AllRemarks): ReadonlyMap<string, JsonSchema> {
  // Which result belongs to which call is not seen in a frame, so all that opal has to say about that is kept.
  const opal = { ...wireSchema('opal', opalDefinitions), definitions: opalDefinitions };
  return new Map([
    ...WIRES.map(
      ({ dialect, frames }) => [dialect.name, wireSchema(dialect.name, described(frames, remarks))] as const,
    ),
    ['opal', opal],
  ]);
}

function wireSchema(name: string, definitions: Record<string, JsonSchema>): JsonSchema {
  const root = {
    title: `The ${name} dialect of Parley`,
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
