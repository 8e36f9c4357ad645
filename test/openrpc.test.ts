// What programs read about the opal dialect: the OpenRPC document, and types that a compiler takes.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { generate } from '../scripts/pages/index.ts';
import { METHODS } from '../src/dialects/opal/methods.ts';
import { OPAL_EVENTS, OPAL_QUESTIONS } from '../src/dialects/opal/told.ts';

const root = join(import.meta.dirname, '..');
const generated = await generate(root);

interface MethodObject {
  name: string;
  description: string;
  params: { name: string; required: boolean; schema: object }[];
  result: { name: string; schema: { properties?: object } };
}

test('the document has every method, every event and every question', () => {
  const document = JSON.parse(generated.get('schema/opal.openrpc.json') ?? '');
  expect(document).toMatchObject({ openrpc: '1.3.2', info: { title: 'The opal dialect of Parley', version: '0.1.0' } });
  const methods = document.methods as MethodObject[];
  expect(methods.map(({ name }) => name)).toEqual([...METHODS.keys()]);
  expect(new Set(methods.map(({ name }) => name)).size).toBe(methods.length);
  for (const { params, result, description } of [...methods, ...document['x-client-methods']] as MethodObject[]) {
    expect(description).not.toBe('');
    expect(result.schema).toBeDefined();
    // What must be there comes first, as the specification wants it.
    const needs = params.map(({ required }) => required);
    expect(needs).toEqual([...needs].sort((a, b) => Number(b) - Number(a)));
  }
  expect((document['x-client-methods'] as MethodObject[]).map(({ name }) => name)).toEqual(Object.keys(OPAL_QUESTIONS));
  const [told] = document['x-notifications'];
  expect(told).toMatchObject({ name: 'agent/event' });
  expect(told['x-events'].map(({ name }: { name: string }) => name)).toEqual(Object.keys(OPAL_EVENTS));
});

const HOST = `
import type { AgentFrame, HostFrame, Methods, Questions } from './opal.d.ts';
const start: HostFrame = { jsonrpc: '2.0', id: 1, method: 'session/start', params: { working_dir: '/project', session: true } };
const prompt: Methods['agent/prompt']['params'] = { session_id: 'a', text: 'Hello' };
const queued = (result: Methods['agent/prompt']['result']): boolean => result.queued;
const answer: Questions['client/ask_user']['result'] = { answer: 'blue' };
export function heard(frame: AgentFrame): string {
  if (!('method' in frame) || frame.method !== 'agent/event') return '';
  return frame.params.type === 'message_delta' ? frame.params.delta : '';
}
export default [start, prompt, queued, answer];
`;

test.each([
  ['a host', HOST, 0],
  ['a host that forgets the text', HOST.replace(", text: 'Hello'", ''), 1],
  ['a host that makes up a method', HOST.replace('session/start', 'session/begin'), 1],
])('the types take %s as they should', (_, code, mistakes) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-types-'));
  writeFileSync(join(folder, 'opal.d.ts'), generated.get('schema/opal.d.ts') ?? '');
  writeFileSync(join(folder, 'host.ts'), code);
  const program = ts.createProgram([join(folder, 'host.ts')], {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    types: [],
  });
  expect(ts.getPreEmitDiagnostics(program)).toHaveLength(mistakes);
});
