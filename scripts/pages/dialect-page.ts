// Generates docs/protocol/dialects.md: which dialect has which commands and events.

import { acp } from '../../src/dialects/acp/index.ts';
import { omp } from '../../src/dialects/index.ts';
import { opal } from '../../src/dialects/opal/index.ts';
import { pi } from '../../src/dialects/pi/index.ts';
import { piLegacy } from '../../src/dialects/pi-legacy/index.ts';
import { type JsonSchema, nameOfRef } from './json-schema.ts';
import { page } from './markdown.ts';
import { tableOf } from './type-text.ts';

const DOCS = [omp, pi, piLegacy, opal, acp].map(({ name, doc }) => `- \`${name}\`: ${doc}`).join('\n');

export function dialectPage(schemas: ReadonlyMap<string, JsonSchema>): string {
  return page(
    '# Dialects',
    'A dialect is a variant of the protocol. Select it with `parley --mode rpc --dialect NAME`, or with the setting `dialect`.',
    DOCS,
    '`parley schema --dialect NAME` prints the JSON Schema of a dialect, for `opal` an OpenRPC document. `schema/NAME.d.ts` has the same types for TypeScript.',
    '## Frames from the host',
    matrix(schemas, 'HostFrame'),
    '## Frames from the agent',
    matrix(schemas, 'AgentFrame'),
  );
}

/** Methods of opal that do the same as a command of the other dialects. */
export const COUNTERPARTS: Readonly<Record<string, string>> = {
  prompt: 'agent/prompt',
  steer: 'agent/steer',
  abort: 'agent/abort',
  new_session: 'session/start',
  switch_session: 'session/start',
  get_state: 'agent/state',
  get_messages: 'session/history',
  compact: 'session/compact',
  set_model: 'model/set',
  get_available_models: 'models/list',
  set_thinking_level: 'thinking/set',
};

function matrix(schemas: ReadonlyMap<string, JsonSchema>, root: string): string {
  const columns = [...schemas].map(([name, schema]) => ({ name, frameNames: listFrameNames(schema, root) }));
  const known = new Set(Object.values(COUNTERPARTS));
  const words = [...new Set(columns.flatMap((column) => [...column.frameNames]))].filter((word) => !known.has(word));
  const cell = ({ name, frameNames }: (typeof columns)[number], word: string) => {
    const other = name === opal.name ? COUNTERPARTS[word] : undefined;
    if (other) return frameNames.has(other) ? `\`${other}\`` : '';
    return frameNames.has(word) ? 'yes' : '';
  };
  const rows = words.map((word) => [`\`${word}\``, ...columns.map((column) => cell(column, word))]);
  return tableOf(['', ...columns.map(({ name }) => name)], rows);
}

/** The names of all frames of a union: their `type`, their `method`, or for opal events the `type` in the params. */
export function listFrameNames({ definitions = {} }: JsonSchema, root: string): Set<string> {
  const named = ({ $ref = '', ...inline }: JsonSchema): JsonSchema => definitions[nameOfRef($ref)] ?? inline;
  const words = (frame: JsonSchema): string[] => {
    const { type, method, params } = frame.properties ?? {};
    if (typeof type?.const === 'string') return [type.const];
    const inner = params && named(params).anyOf;
    if (inner) return inner.flatMap((option) => words(named(option)));
    if (typeof method?.const === 'string') return [method.const];
    return (frame.anyOf ?? frame.oneOf ?? []).flatMap((option) => words(named(option)));
  };
  return new Set((definitions[root]?.anyOf ?? []).flatMap((option) => words(named(option))));
}
