// Documents: reads what the doc comments of src/protocol say about a schema and its fields. Knows syntax, not schemas.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';

/** What is said about one exported schema. */
export interface Remarks {
  readonly about?: string | undefined;
  readonly fields: ReadonlyMap<string, string>;
}

/** By the name of the constant, for every file under the directory. */
export async function readRemarks(directory: string): Promise<ReadonlyMap<string, Remarks>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(paths.sort().map((path) => readFile(path, 'utf8')));
  return new Map(texts.flatMap((text) => [...remarksIn(text)]));
}

export function remarksIn(text: string): Map<string, Remarks> {
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

/** The commented fields of every object schema in the expression, but not of objects inside those. */
function* fieldsIn(
  node: ts.Expression,
  shared: (name: string) => string | undefined,
): Generator<[field: string, remark: string]> {
  if (ts.isArrayLiteralExpression(node)) for (const element of node.elements) yield* fieldsIn(element, shared);
  if (!ts.isCallExpression(node)) return;
  for (const argument of node.arguments) {
    if (!ts.isObjectLiteralExpression(argument)) {
      yield* fieldsIn(argument, shared);
      continue;
    }
    for (const property of argument.properties) {
      const name = property.name?.getText() ?? '';
      // `{ timeout }` takes the remark of the constant it names.
      const remark = commentOf(property) ?? (ts.isShorthandPropertyAssignment(property) ? shared(name) : undefined);
      if (remark) yield [name, remark];
    }
  }
}

function commentOf(node: ts.Node): string | undefined {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = ts.getTextOfJSDocComment(comments.at(-1)?.comment);
  return text?.replace(/\s+/g, ' ').trim() || undefined;
}
