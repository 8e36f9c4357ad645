// Documents: the JSON Schemas of the wires and of the session log.
import { setHostTools } from '../../src/commands/host.ts';
import type { Command } from '../../src/contracts/index.ts';
import { omp } from '../../src/dialects/index.ts';
import { pi } from '../../src/dialects/pi/index.ts';
import { piLegacy } from '../../src/dialects/pi-legacy/index.ts';
import { events } from '../../src/protocol/index.ts';
import type { Remarks } from './comments.ts';
import { allEventFrames, type Definitions, hostToolFrames, methodsOf, ompFrames } from './frames.ts';
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
  for (const [name, { doc, stability = 'stable' }] of declared) {
    const said = { ...(doc ? { description: doc } : {}), 'x-stability': stability };
    if (definitions[name]) definitions[name] = { ...said, ...definitions[name] };
  }
  return definitions;
}

type Said = Partial<Pick<Command, 'doc' | 'stability'>>;

/** Frames that a declaration says something about. Those that belong to a command are as stable as it is. */
const declared: readonly (readonly [name: string, said: Said])[] = [
  ...[omp, pi].flatMap(methodsOf).map(([method, command]) => [`${pascalCase(method)}Command`, command] as const),
  ...events.map((event) => [`${pascalCase(event.type)}Event`, event] as const),
  ...['MessageUpdateDeltaEvent', 'CompactionEvent', 'ErrorEvent'].map((name) => [name, {}] as const),
  ...hostToolFrames.map((name) => [name, { stability: setHostTools.stability } as Said] as const),
  ...['ExtensionUiRequest', 'ExtensionUiResponse', 'Ready'].map((name) => [name, {}] as const),
];

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
