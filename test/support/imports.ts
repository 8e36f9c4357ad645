// Reads the imports of a source file. Knows TypeScript's syntax, not the architecture rules.
import { posix } from 'node:path';
import ts from 'typescript';

/** Something imported: by `import`, `export … from`, `import(…)`, a type or `require`. */
export interface Import {
  /** As written, or `undefined` when it is computed. */
  readonly specifier: string | undefined;
  /** Named bindings, by their exported names. */
  readonly names: readonly string[];
  /** By `import(…)`: loaded when the expression is evaluated. */
  readonly isDynamic: boolean;
  readonly line: number;
}

export function parseSource(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
}

export function getLine(node: ts.Node): number {
  return node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1;
}

const known = new WeakMap<ts.SourceFile, readonly ts.Node[]>();

/** Every node, parents first. Cached, because several rules use it. */
export function listNodes(source: ts.SourceFile): readonly ts.Node[] {
  const before = known.get(source);
  if (before) return before;
  const nodes: ts.Node[] = [];
  const walk = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, walk);
  };
  walk(source);
  known.set(source, nodes);
  return nodes;
}

export function findImports(source: ts.SourceFile): Import[] {
  const imports: Import[] = [];
  for (const node of listNodes(source)) {
    const from = getSpecifierNode(node);
    if (from === undefined) continue;
    imports.push({
      specifier: getLiteralText(from),
      names: listImportedNames(node),
      isDynamic: ts.isCallExpression(node),
      line: getLine(node),
    });
  }
  return imports;
}

function getSpecifierNode(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node)) return node.argument;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (!ts.isCallExpression(node)) return undefined;
  const callee = node.expression;
  const asks = callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require');
  return asks ? node.arguments[0] : undefined;
}

function getLiteralText(node: ts.Node): string | undefined {
  if (ts.isLiteralTypeNode(node)) return getLiteralText(node.literal);
  return ts.isStringLiteralLike(node) ? node.text : undefined;
}

function listImportedNames(node: ts.Node): string[] {
  if (!ts.isImportDeclaration(node)) return [];
  const bindings = node.importClause?.namedBindings;
  if (!bindings || !ts.isNamedImports(bindings)) return [];
  return bindings.elements.map((element) => (element.propertyName ?? element.name).text);
}

/** The path of the imported file, `undefined` for packages and Node's own modules. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return posix.join(posix.dirname(from), specifier);
}
