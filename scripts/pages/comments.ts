// Reads the doc comments of schemas and their fields from src/protocol.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';

/** The doc comments of one exported schema. */
export interface DocComments {
  readonly about?: string | undefined;
  readonly fields: ReadonlyMap<string, string>;
}

/** Doc comments by the name of the constant, for every file below the directory. */
export async function readDocComments(directory: string): Promise<ReadonlyMap<string, DocComments>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(paths.sort().map((path) => readFile(path, 'utf8')));
  return new Map(texts.flatMap((text) => [...parseDocComments(text)]));
}

export function parseDocComments(text: string): Map<string, DocComments> {
  const source = ts.createSourceFile('', text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
  const constants = new Map<string, { about: string | undefined; value: ts.Expression }>();
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (initializer) constants.set(name.getText(), { about: commentOf(statement), value: initializer });
    }
  }
  const shared = (name: string) => constants.get(name)?.about;
  return new Map(
    [...constants].map(([name, { about, value }]) => [name, { about, fields: new Map(fieldsIn(value, shared)) }]),
  );
}

/** The commented fields of every object schema in the expression, without fields of nested objects. */
function* fieldsIn(
  node: ts.Expression,
  shared: (name: string) => string | undefined,
): Generator<[field: string, text: string]> {
  if (ts.isArrayLiteralExpression(node)) for (const element of node.elements) yield* fieldsIn(element, shared);
  if (!ts.isCallExpression(node)) return;
  for (const argument of node.arguments) {
    if (!ts.isObjectLiteralExpression(argument)) {
      yield* fieldsIn(argument, shared);
      continue;
    }
    for (const property of argument.properties) {
      const name = property.name?.getText() ?? '';
      // `{ timeout }` has the comment of the constant.
      const text = commentOf(property) ?? (ts.isShorthandPropertyAssignment(property) ? shared(name) : undefined);
      if (text) yield [name, text];
    }
  }
}

function commentOf(node: ts.Node): string | undefined {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = ts.getTextOfJSDocComment(comments.at(-1)?.comment);
  return text?.replace(/\s+/g, ' ').trim() || undefined;
}
