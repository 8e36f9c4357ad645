// JSON Schemas of the dialects and of the session file.
import { setHostTools } from '../../src/commands/host.ts';
import type { Command } from '../../src/contracts/index.ts';
import { omp } from '../../src/dialects/index.ts';
import { pi } from '../../src/dialects/pi/index.ts';
import { piLegacy } from '../../src/dialects/pi-legacy/index.ts';
import { events } from '../../src/protocol/index.ts';
import type { DocComments } from './comments.ts';
import { allEventFrames, type Definitions, hostToolFrames, methodsOf, ompFrames } from './frames.ts';
import { legacyFrames } from './frames-legacy.ts';
import { opalDefinitions } from './frames-opal.ts';
import { piFrames } from './frames-pi.ts';
import { documentOf, type JsonSchema, protocolTypes, refTo, toDefinitions } from './json-schema.ts';
import { pascalCase } from './naming.ts';

type DocCommentsByName = ReadonlyMap<string, DocComments>;

/** The dialects that are declared with valibot, with their frames. */
const WIRES = [
  { dialect: omp, frames: ompFrames },
  { dialect: pi, frames: piFrames },
  { dialect: piLegacy, frames: legacyFrames },
];

/** All frames of the default dialect, all events and all types, with the descriptions of their declarations. */
export function wireDefinitions(docComments: DocCommentsByName): Record<string, JsonSchema> {
  return describeFrames({ ...allEventFrames, ...ompFrames }, docComments);
}

/** The frames and all types of the protocol. */
export function describeFrames(frames: Definitions, docComments: DocCommentsByName): Record<string, JsonSchema> {
  const definitions = toDefinitions({ ...frames, ...protocolTypes }, docComments);
  for (const [name, { doc, stability = 'stable' }] of declared) {
    const annotations = { ...(doc ? { description: doc } : {}), 'x-stability': stability };
    if (definitions[name]) definitions[name] = { ...annotations, ...definitions[name] };
  }
  return definitions;
}

type FrameInfo = Partial<Pick<Command, 'doc' | 'stability'>>;

/** Description and stability of frames, from the declarations. Frames of a command have its stability. */
const declared: readonly (readonly [name: string, info: FrameInfo])[] = [
  ...[omp, pi].flatMap(methodsOf).map(([method, command]) => [`${pascalCase(method)}Command`, command] as const),
  ...events.map((event) => [`${pascalCase(event.type)}Event`, event] as const),
  ...['MessageUpdateDeltaEvent', 'CompactionEvent', 'ErrorEvent'].map((name) => [name, {}] as const),
  ...hostToolFrames.map((name) => [name, { stability: setHostTools.stability } as FrameInfo] as const),
  ...['ExtensionUiRequest', 'ExtensionUiResponse', 'Ready'].map((name) => [name, {}] as const),
];

/** Schemas by dialect name. */
export function wireSchemas(docComments: DocCommentsByName): ReadonlyMap<string, JsonSchema> {
  // A result frame does not name its method, so no frame refers to the result types. All definitions of opal are kept.
  const opal = { ...wireSchema('opal', opalDefinitions), definitions: opalDefinitions };
  return new Map([
    ...WIRES.map(
      ({ dialect, frames }) => [dialect.name, wireSchema(dialect.name, describeFrames(frames, docComments))] as const,
    ),
    ['opal', opal],
  ]);
}

function wireSchema(name: string, definitions: Record<string, JsonSchema>): JsonSchema {
  const root = {
    title: `The ${name} dialect of Parley`,
    description: 'One frame. HostFrame is a frame from the host, AgentFrame a frame from the agent.',
    anyOf: [refTo('HostFrame'), refTo('AgentFrame')],
  };
  return documentOf(root, definitions);
}

export function entrySchema(definitions: Record<string, JsonSchema>): JsonSchema {
  const root = {
    title: 'A line of a Parley session file',
    description:
      'The first line is the header. Every other line is an entry whose parentId is the id of the previous entry of its branch.',
    anyOf: [refTo('SessionHeader'), refTo('SessionEntry')],
  };
  return documentOf(root, definitions);
}
