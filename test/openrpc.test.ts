// Checks the OpenRPC document and the TypeScript types of the opal dialect.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { generate } from '../scripts/pages/index.ts';
import { OPAL_CLIENT_METHODS, OPAL_EVENTS } from '../src/dialects/opal/event-schemas.ts';
import { OPAL_METHODS } from '../src/dialects/opal/methods/index.ts';

const root = join(import.meta.dirname, '..');
const generated = await generate(root);

interface MethodObject {
  name: string;
  description: string;
  params: { name: string; required: boolean; schema: object }[];
  result: { name: string; schema: { properties?: object } };
}

test('the document has every method, event and client method', () => {
  const document = JSON.parse(generated.get('schema/opal.openrpc.json') ?? '');
  expect(document).toMatchObject({ openrpc: '1.3.2', info: { title: 'The opal dialect of Parley', version: '0.1.0' } });
  const methods = document.methods as MethodObject[];
  expect(methods.map(({ name }) => name)).toEqual([...OPAL_METHODS.keys()]);
  expect(new Set(methods.map(({ name }) => name)).size).toBe(methods.length);
  for (const { params, result, description } of [...methods, ...document['x-client-methods']] as MethodObject[]) {
    expect(description).not.toBe('');
    expect(result.schema).toBeDefined();
    // The specification requires that required params come first.
    const required = params.map((param) => param.required);
    expect(required).toEqual([...required].sort((a, b) => Number(b) - Number(a)));
  }
  expect((document['x-client-methods'] as MethodObject[]).map(({ name }) => name)).toEqual(
    Object.keys(OPAL_CLIENT_METHODS),
  );
  const [notification] = document['x-notifications'];
  expect(notification).toMatchObject({ name: 'agent/event' });
  expect(notification['x-events'].map(({ name }: { name: string }) => name)).toEqual(Object.keys(OPAL_EVENTS));
});

const HOST = `
import type { AgentFrame, HostFrame, Methods, Questions } from './opal.d.ts';
const start: HostFrame = { jsonrpc: '2.0', id: 1, method: 'session/start', params: { working_dir: '/project', session: true } };
const prompt: Methods['agent/prompt']['params'] = { session_id: 'a', text: 'Hello' };
const queued = (result: Methods['agent/prompt']['result']): boolean => result.queued;
const answer: Questions['client/ask_user']['result'] = { answer: 'blue' };
export function textOf(frame: AgentFrame): string {
  if (!('method' in frame) || frame.method !== 'agent/event') return '';
  return frame.params.type === 'message_delta' ? frame.params.delta : '';
}
export default [start, prompt, queued, answer];
`;

test.each([
  ['a valid host', HOST, 0],
  ['a host with a missing parameter', HOST.replace(", text: 'Hello'", ''), 1],
  ['a host with an unknown method', HOST.replace('session/start', 'session/begin'), 1],
])('%s: number of type errors', (_, code, errors) => {
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
  expect(ts.getPreEmitDiagnostics(program)).toHaveLength(errors);
});
