// Checks that the generated documents and schemas are up to date and complete.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseDocComments } from '../scripts/pages/comments.ts';
import { allCommands, methodsOf, ompAnswerFrames } from '../scripts/pages/frames.ts';
import { generate } from '../scripts/pages/index.ts';
import { toFittedJson } from '../scripts/pages/json-text.ts';
import { typeText } from '../scripts/pages/type-text.ts';
import { validate } from '../src/contracts/index.ts';
import { omp } from '../src/dialects/index.ts';
import { events } from '../src/protocol/index.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const generated = await generate(root);

test.each([...generated.keys()])('%s is up to date', async (path) => {
  const current = await readFile(join(root, path), 'utf8').catch(() => undefined);
  expect(current === generated.get(path), `${path} is stale: run \`npm run docs\``).toBe(true);
});

test('the folders contain only generated files', async () => {
  const folders = ['docs/protocol', 'schema'];
  const found = await Promise.all(
    folders.map(async (folder) => (await readdir(join(root, folder))).map((name) => `${folder}/${name}`)),
  );
  const expected = [...generated.keys()].filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)));
  expect(found.flat().sort()).toEqual(expected.sort());
});

test('generation is deterministic', async () => {
  expect(await generate(root)).toEqual(generated);
});

test('every command and every event is on a page and in the schema', () => {
  const { definitions } = JSON.parse(generated.get('schema/omp.json') ?? '');
  for (const { name } of allCommands) expect(generated.get('docs/protocol/commands.md')).toContain(`\n## ${name}\n`);
  for (const { type } of events) expect(generated.get('docs/protocol/events.md')).toContain(`\n## ${type}\n`);
  expect(Object.keys(definitions)).toEqual(
    expect.arrayContaining(['PromptCommand', 'GetStateResponse', 'MessageUpdateEvent', 'AgentMessage', 'HostFrame']),
  );
  expect(definitions.HostFrame.anyOf).toHaveLength(methodsOf(omp).length + Object.keys(ompAnswerFrames).length);
});

test.each(allCommands.map((command) => [command.name, command] as const))(
  '%s accepts its own examples',
  (_, command) => {
    for (const example of command.examples ?? []) expect(() => validate(command.params, example)).not.toThrow();
  },
);

test('every link of every page has a target', async () => {
  const written = ['README.md', 'AGENTS.md', 'CONTEXT.md', 'clients/python/README.md'];
  const below = (await readdir(join(root, 'docs'), { recursive: true })).map((name) => `docs/${name}`);
  const pages = [...written, ...below.filter((name) => name.endsWith('.md'))];
  const texts = new Map(
    await Promise.all(pages.map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const)),
  );
  const broken: string[] = [];
  for (const [path, text] of texts) {
    for (const [, target = '', anchor] of text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)) {
      const file = target ? posix.join(posix.dirname(path), target) : path;
      const exists = existsSync(join(root, file)) && (!anchor || anchorsIn(texts.get(file) ?? '').includes(anchor));
      if (!exists) broken.push(`${path}: ${target}${anchor ? `#${anchor}` : ''}`);
    }
  }
  expect(broken).toEqual([]);
});

/** Anchors of headings, as GitHub creates them. */
function anchorsIn(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('helpers', () => {
  test('doc comments of schemas and their fields are read, those of nested objects are not', () => {
    const comments = parseDocComments(`
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
    expect(comments.get('thing')).toEqual({
      about: 'A thing of two lines.',
      fields: new Map([
        ['shared', 'For all.'],
        ['own', 'Named.'],
      ]),
    });
    expect(comments.get('either')?.fields).toEqual(new Map([['a', 'First.']]));
  });

  test('types are formatted as TypeScript-like text', () => {
    const options = [{ enum: ['a', 'b'] }, { $ref: '#/definitions/Model' }, { type: 'null' }];
    expect(typeText({ anyOf: options })).toBe('"a" | "b" | Model | null');
    expect(typeText({ type: 'array', items: { enum: [1, 2] } })).toBe('(1 | 2)[]');
    expect(typeText({ properties: { a: {}, b: { type: 'string' } }, required: ['b'] })).toBe(
      '{ a?: anything, b: string }',
    );
    expect(typeText({ type: 'object', additionalProperties: { type: 'number' } })).toBe('{ [key]: number }');
  });

  test('JSON stays on one line if it fits', () => {
    const value = { a: [1, 2], b: { c: 'dd' } };
    expect(toFittedJson(value)).toBe('{ "a": [1, 2], "b": { "c": "dd" } }');
    expect(toFittedJson(value, 20)).toBe('{\n  "a": [1, 2],\n  "b": { "c": "dd" }\n}');
    expect(JSON.parse(toFittedJson(value, 1))).toEqual(value);
  });
});
