// The rules about names: no empty names and no default exports. Plain words are checked in plain-words.ts.
import { posix } from 'node:path';
import ts from 'typescript';
import { getLine, listNodes } from './imports.ts';

const MEANINGLESS_FILE_NAMES = ['types.ts', 'utils.ts', 'helpers.ts'];
const MEANINGLESS_SUFFIX = /(Manager|Helper|Utils|Service|Impl|Common)$/;

export function findNamingErrors(path: string, source: ts.SourceFile): string[] {
  const file = posix.basename(path);
  const problems = MEANINGLESS_FILE_NAMES.includes(file) ? [`${path}: ${file} says nothing about what is inside`] : [];
  for (const node of listNodes(source)) {
    const name = declaredName(node);
    if (name && MEANINGLESS_SUFFIX.test(name))
      problems.push(`${path}:${getLine(node)}: ${name} is a name that says nothing`);
    if (isDefaultExport(node)) problems.push(`${path}:${getLine(node)}: default export`);
  }
  return problems;
}

function declaredName(node: ts.Node): string | undefined {
  const named =
    ts.isClassLike(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isEnumDeclaration(node);
  return named ? node.name?.text : undefined;
}

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node)) return true;
  if (ts.isExportSpecifier(node)) return node.name.text === 'default';
  if (!ts.canHaveModifiers(node)) return false;
  return ts.getModifiers(node)?.some((modifier) => modifier.kind === ts.SyntaxKind.DefaultKeyword) ?? false;
}
