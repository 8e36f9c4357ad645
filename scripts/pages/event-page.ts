// Documents: docs/protocol/events.md. What a host hears without asking, from the declarations of src/protocol/events.
import { events } from '../../src/protocol/index.ts';
import type { JsonSchema } from './json-schema.ts';
import { frames, page, section } from './markdown.ts';
import { anchorOf, pascalCase } from './naming.ts';
import type { Frame } from './stage.ts';
import { fieldTable } from './type-text.ts';

export function eventPage(
  definitions: Record<string, JsonSchema>,
  examples: ReadonlyMap<string, readonly Frame[]>,
): string {
  return page(
    '# Events',
    'What a host hears without asking. Events never carry an `id`. On the wire each frame is one line; here long ones are broken for reading.',
    'Most events always arrive, in order. Those marked *may fold* say how a thing grows: while the host is slow to read, one of them may stand for several.',
    events.map(({ type }) => `[${type}](#${anchorOf(type)})`).join(' · '),
    ...events.map(({ type, doc, durable, stability = 'stable' }) =>
      section(
        `## ${type}`,
        doc,
        [...(durable ? [] : ['*May fold*']), `[${stability}](../stability.md)`].join(' · '),
        fieldTable(withoutType(definitions[`${pascalCase(type)}Event`] ?? {})),
        ...(examples.get(type) ?? []).map((frame) => frames(frame)),
      ),
    ),
  );
}

function withoutType({ properties: { type: _, ...properties } = {}, ...schema }: JsonSchema): JsonSchema {
  return { ...schema, properties };
}
