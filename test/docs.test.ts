// What is generated from the declarations is what lies in docs/protocol and schema, and says what it should.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { remarksIn } from '../scripts/pages/comments.ts';
import { allCommands, answerFrames, methodsOf } from '../scripts/pages/frames.ts';
import { generate } from '../scripts/pages/index.ts';
import { toFittedJson } from '../scripts/pages/json-text.ts';
import { typeText } from '../scripts/pages/type-text.ts';
import { check } from '../src/contracts/index.ts';
import { omp } from '../src/dialects/index.ts';
import { events } from '../src/protocol/index.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const generated = await generate(root);

test.each([...generated.keys()])('%s is as the declarations say', async (path) => {
  const kept = await readFile(join(root, path), 'utf8').catch(() => undefined);
  expect(kept === generated.get(path), `${path} is stale: run \`npm run docs\``).toBe(true);
});

test('nothing else lies beside them', async () => {
  const folders = ['docs/protocol', 'schema'];
  const found = await Promise.all(
    folders.map(async (folder) => (await readdir(join(root, folder))).map((name) => `${folder}/${name}`)),
  );
  const here = [...generated.keys()].filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)));
  expect(found.flat().sort()).toEqual(here.sort());
});

test('the same declarations give the same texts', async () => {
  expect(await generate(root)).toEqual(generated);
});

test('every command and every event has its place on a page and in the schema', () => {
  const { definitions } = JSON.parse(generated.get('schema/omp.json') ?? '');
  for (const { name } of allCommands) expect(generated.get('docs/protocol/commands.md')).toContain(`\n## ${name}\n`);
  for (const { type } of events) expect(generated.get('docs/protocol/events.md')).toContain(`\n## ${type}\n`);
  expect(Object.keys(definitions)).toEqual(
    expect.arrayContaining(['PromptCommand', 'GetStateResponse', 'MessageUpdateEvent', 'AgentMessage', 'HostFrame']),
  );
  expect(definitions.HostFrame.anyOf).toHaveLength(methodsOf(omp).length + Object.keys(answerFrames).length);
});

test.each(allCommands.map((command) => [command.name, command] as const))(
  '%s accepts its own examples',
  (_, command) => {
    for (const example of command.examples ?? []) expect(() => check(command.params, example)).not.toThrow();
  },
);

test('every link of every page leads somewhere', async () => {
  const written = ['README.md', 'AGENTS.md', 'CONTEXT.md', 'clients/python/README.md'];
  const below = (await readdir(join(root, 'docs'), { recursive: true })).map((name) => `docs/${name}`);
  const pages = [...written, ...below.filter((name) => name.endsWith('.md'))];
  const texts = new Map(
    await Promise.all(pages.map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const)),
  );
  const lost: string[] = [];
  for (const [path, text] of texts) {
    for (const [, target = '', anchor] of text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)) {
      const file = target ? posix.join(posix.dirname(path), target) : path;
      const isThere = existsSync(join(root, file)) && (!anchor || anchorsIn(texts.get(file) ?? '').includes(anchor));
      if (!isThere) lost.push(`${path}: ${target}${anchor ? `#${anchor}` : ''}`);
    }
  }
  expect(lost).toEqual([]);
});

/** As GitHub makes them of headings. */
function anchorsIn(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the pieces', () => {
  test('doc comments of schemas and their fields are found, those of inner objects are not', () => {
    const remarks = remarksIn(`
      /** For all. */
      const shared = number();
      /** A thing
       * of two lines. */
      export const thing = object({
        shared,
        plain: string(),
        /** Named. */
        own: string(),
        in: object({
          /** Not of the thing itself. */
          deep: string(),
        }),
      });
      export const either = variant('type', [
        object({
          /** First. */
          a: string(),
        }),
        thing,
      ]);`);
    expect(remarks.get('thing')).toEqual({
      about: 'A thing of two lines.',
      fields: new Map([
        ['shared', 'For all.'],
        ['own', 'Named.'],
      ]),
    });
    expect(remarks.get('either')?.fields).toEqual(new Map([['a', 'First.']]));
  });

  test('types are written as one reads them', () => {
    const words = [{ enum: ['a', 'b'] }, { $ref: '#/definitions/Model' }, { type: 'null' }];
    expect(typeText({ anyOf: words })).toBe('"a" | "b" | Model | null');
    expect(typeText({ type: 'array', items: { enum: [1, 2] } })).toBe('(1 | 2)[]');
    expect(typeText({ properties: { a: {}, b: { type: 'string' } }, required: ['b'] })).toBe(
      '{ a?: anything, b: string }',
    );
    expect(typeText({ type: 'object', additionalProperties: { type: 'number' } })).toBe('{ [key]: number }');
  });

  test('JSON stays on a line while it fits', () => {
    const value = { a: [1, 2], b: { c: 'dd' } };
    expect(toFittedJson(value)).toBe('{ "a": [1, 2], "b": { "c": "dd" } }');
    expect(toFittedJson(value, 20)).toBe('{\n  "a": [1, 2],\n  "b": { "c": "dd" }\n}');
    expect(JSON.parse(toFittedJson(value, 1))).toEqual(value);
  });
});
