// Documents: docs/protocol/dialects.md. Which dialect has a word for what, from the schemas of the wires.
import { omp } from '../../src/dialects/index.ts';
import { pi } from '../../src/dialects/pi/index.ts';
import { piLegacy } from '../../src/dialects/pi-legacy/index.ts';
import { type JsonSchema, nameOfRef } from './json-schema.ts';
import { page } from './markdown.ts';
import { tableOf } from './type-text.ts';

const DOCS = [omp, pi, piLegacy].map(({ name, doc }) => `- \`${name}\`: ${doc}`).join('\n');

export function dialectPage(schemas: ReadonlyMap<string, JsonSchema>): string {
  return page(
    '# Dialects',
    'The same agent in several tongues: `parley --mode rpc --dialect NAME`, or the setting `dialect`.',
    DOCS,
    '`parley schema --dialect NAME` prints the JSON Schema of a dialect; `schema/NAME.d.ts` has the same as TypeScript types.',
    '## What a host may send',
    matrix(schemas, 'HostFrame'),
    '## What a host gets',
    matrix(schemas, 'AgentFrame'),
  );
}

function matrix(schemas: ReadonlyMap<string, JsonSchema>, root: string): string {
  const columns = [...schemas].map(([name, schema]) => ({ name, words: wordsIn(schema, root) }));
  const words = [...new Set(columns.flatMap((column) => [...column.words]))];
  const rows = words.map((word) => [`\`${word}\``, ...columns.map((column) => (column.words.has(word) ? 'yes' : ''))]);
  return tableOf(['', ...columns.map(({ name }) => name)], rows);
}

/** The types of the frames that a root may be. */
export function wordsIn({ definitions = {} }: JsonSchema, root: string): Set<string> {
  const frames = (definitions[root]?.anyOf ?? []).map(({ $ref = '' }) => definitions[nameOfRef($ref)] ?? {});
  return new Set(frames.flatMap((frame) => [frame, ...(frame.anyOf ?? frame.oneOf ?? [])].flatMap(typeOf)));
}

function typeOf({ properties }: JsonSchema): string[] {
  const { const: type } = properties?.type ?? {};
  return typeof type === 'string' ? [type] : [];
}
