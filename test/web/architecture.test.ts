// The rules for the code of the page: what it imports, how large files and functions are, and that it never parses HTML.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { findImports, getLine, listNodes, parseSource, resolveImport } from '../support/imports.ts';
import { findNamingErrors } from '../support/naming.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const PACKAGES: readonly string[] = ['preact', 'preact/hooks', '@preact/signals', 'marked', 'highlight.js/lib/common'];
/** The page is a host: it uses the types of the protocol, and code that is free of Node APIs. */
const SOURCES = [/^web\/src\//, /^src\/protocol\/index\.ts$/, /^src\/client\/[\w-]+\.ts$/, /^src\/base\/[\w-]+\.ts$/];
/** Each would parse a text as HTML, or run it. */
const FORBIDDEN =
  /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|DOMParser|document\.write|srcdoc|eval)\b/;
const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 60;

function listSources(): Map<string, string> {
  const found = readdirSync(join(root, 'web/src'), { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name));
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8')];
    }),
  );
}

function findViolations(path: string, text: string): string[] {
  const source = parseSource(path, text);
  const imports = findImports(source).flatMap(({ specifier = '', line }) => {
    const target = resolveImport(path, specifier);
    const isAllowed =
      target === undefined ? PACKAGES.includes(specifier) : SOURCES.some((allowed) => allowed.test(target));
    return isAllowed ? [] : [`${path}:${line}: may not import ${specifier}`];
  });
  const functions = listNodes(source).flatMap((node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return [];
    const lines = source.getLineAndCharacterOfPosition(node.end).line + 2 - getLine(node);
    return lines > MAX_FUNCTION_LINES ? [`${path}:${getLine(node)}: the function has ${lines} lines`] : [];
  });
  const lines = text.split('\n');
  const parsed = lines.flatMap((line, at) => (FORBIDDEN.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : []));
  const size = lines.length > MAX_FILE_LINES + 1 ? [`${path}: has ${lines.length} lines`] : [];
  const header = lines[0]?.startsWith('// ') ? [] : [`${path}: does not begin with a line that says what it does`];
  return [...imports, ...functions, ...parsed, ...size, ...header, ...findNamingErrors(path, source)];
}

test('the page keeps all rules', () => {
  const files = listSources();
  expect(files.size).toBeGreaterThan(50);
  expect([...files].flatMap(([path, text]) => findViolations(path, text))).toEqual([]);
});

test.each([
  ["import { x } from '../../../src/core/index.ts';", 'may not import'],
  ["import fs from 'node:fs';", 'may not import'],
  ['element.innerHTML = text;', 'innerHTML'],
  [`function f() {\n${'x();\n'.repeat(60)}}`, 'the function has'],
  ['class ListManager {}', 'says nothing'],
])('a violation is found: %s', (text, message) => {
  const found = findViolations('web/src/app/a.tsx', `// A file.\n${text}\n`);
  expect(found).toEqual([expect.stringContaining(message)]);
});

test('the program and the library do not import the page', () => {
  const found = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => /from '(?:\.\.\/)+web\//.test(readFileSync(path, 'utf8')));
  expect(found).toEqual([]);
});
