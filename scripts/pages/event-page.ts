// Generates docs/protocol/events.md from the declarations of src/protocol/events.
import { events } from '../../src/protocol/index.ts';
import type { JsonSchema } from './json-schema.ts';
import { frames, page, section } from './markdown.ts';
import { anchorOf, pascalCase } from './naming.ts';
import type { Frame } from './run-example.ts';
import { fieldTable } from './type-text.ts';

export function eventPage(
  definitions: Record<string, JsonSchema>,
  examples: ReadonlyMap<string, readonly Frame[]>,
): string {
  return page(
    '# Events',
    'Events are frames that the agent sends without a command. They have no `id`. In the protocol each frame is one line; long frames are wrapped here.',
    'Events are delivered completely and in order, except those marked *may be merged*: while the host reads slowly, several updates may be merged into one.',
    events.map(({ type }) => `[${type}](#${anchorOf(type)})`).join(' · '),
    ...events.map(({ type, doc, durable, stability = 'stable' }) =>
      section(
        `## ${type}`,
        doc,
        [...(durable ? [] : ['*May be merged*']), `[${stability}](../stability.md)`].join(' · '),
        fieldTable(withoutType(definitions[`${pascalCase(type)}Event`] ?? {})),
        ...(examples.get(type) ?? []).map((frame) => frames(frame)),
      ),
    ),
  );
}

function withoutType({ properties: { type: _, ...properties } = {}, ...schema }: JsonSchema): JsonSchema {
  return { ...schema, properties };
}
