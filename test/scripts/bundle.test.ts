// Checks that dynamic imports have the same result in the bundle as in the source, for every kind of module.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeProgram } from '../../scripts/bundle.mjs';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const FILES = {
  'package.json': '{"type":"module"}',
  'node_modules/package.json': '{"type":"commonjs"}',
  'node_modules/plain/index.js': `exports.Agent = class Agent {}; exports.fetch = () => 'fetched';
    Object.defineProperty(exports, 'late', { enumerable: true, get: () => 'on first use' });`,
  'node_modules/marked-as-module/index.js':
    'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = "its default"; exports.one = 1;',
  'node_modules/callable/index.js': 'module.exports = () => "called"; module.exports.member = "of a function";',
  'node_modules/modern/package.json': '{"type":"module","main":"index.js"}',
  'node_modules/modern/index.js': 'export default "default"; export const named = "named";',
  'shared.ts': `import plain from 'plain'; export const shared = plain.fetch();`,
  'main.ts': `
    const read = async () => {
      const { Agent, fetch, late, default: whole } = await import('plain');
      const marked = await import('marked-as-module');
      const callable = await import('callable');
      const modern = await import('modern');
      const path = await import('node:path');
      const { default: events, EventEmitter } = await import('node:events');
      const { shared } = await import('./shared.ts');
      return {
        plain: [new Agent() instanceof whole.Agent, fetch(), late, whole.fetch === fetch],
        marked: [marked.one, marked.default.default],
        callable: [callable.default(), callable.member],
        modern: [modern.default, modern.named],
        path: [path.join('a', 'b'), path.default.join === path.join],
        events: [events === EventEmitter],
        shared,
      };
    };
    read().then((result) => process.stdout.write(JSON.stringify(result)));`,
};

test('dynamic imports of CommonJS packages, ES packages and built-in modules', async () => {
  const project = createTemporaryDirectory();
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  const { program } = await writeProgram(join(project, 'dist'), project, 'main.ts');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program]);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    plain: [true, 'fetched', 'on first use', true],
    marked: [1, 'its default'],
    callable: ['called', 'of a function'],
    modern: ['default', 'named'],
    path: ['a/b', true],
    events: [true],
    shared: 'fetched',
  });
});
