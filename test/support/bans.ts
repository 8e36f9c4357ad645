// The part of the law about the outside world: who may touch stdout, the clock, randomness, timers, files and processes.
import ts from 'typescript';
import { type Import, lineOf, nodesOf } from './imports.ts';

const STDIO = ['src/transports/stdio'];
const SYSTEM = ['src/app/system-ports', ...STDIO];
// These stand on the host's side of the pipe, where there are no ports.
const HOSTS = [...SYSTEM, 'src/client', 'src/testing'];

/** What may stand only in files whose paths begin with one of `places`. */
interface Ban {
  readonly what: RegExp;
  readonly places: readonly string[];
  readonly instead: string;
}

/** Matched against dotted names as they are used: `console`, `Date.now`, `process.stdout`, `setTimeout`. */
const USES: readonly Ban[] = [
  { what: /^process\.stdout$/, places: STDIO, instead: 'stdout belongs to frames' },
  { what: /^console$/, places: [], instead: 'use ports.log' },
  {
    what: /^(Date\.now|performance\.(now|timeOrigin|mark|measure)|process\.hrtime)$/,
    places: SYSTEM,
    instead: 'use ports.clock',
  },
  { what: /^(setTimeout|setInterval|setImmediate)$/, places: SYSTEM, instead: 'use ports.clock' },
  { what: /^AbortSignal\.timeout$/, places: HOSTS, instead: 'use ports.clock' },
  { what: /^(Math\.random|crypto\.(random|getRandom)\w*)$/, places: SYSTEM, instead: 'use ports.ids' },
];

/** Matched against `module` and `module name` of every import. */
const MODULES: readonly Ban[] = [
  { what: /^(node:)?process stdout$/, places: STDIO, instead: 'stdout belongs to frames' },
  { what: /^(node:)?console$/, places: [], instead: 'use ports.log' },
  { what: /^(node:)?timers(\/promises)?$/, places: SYSTEM, instead: 'use ports.clock' },
  { what: /^(node:)?perf_hooks$/, places: SYSTEM, instead: 'use ports.clock' },
  { what: /^(node:)?fs(\/promises)?$/, places: HOSTS, instead: 'use ports.files' },
  { what: /^(node:)?(child_process|cluster|worker_threads)$/, places: HOSTS, instead: 'use ports.processes' },
  { what: /^(node:)?crypto (random|getRandom)\w*$/, places: SYSTEM, instead: 'use ports.ids' },
];

export function bansIn(path: string, source: ts.SourceFile, imports: readonly Import[]): string[] {
  const used = nodesOf(source).flatMap((node) => usesOf(node).map((name) => ({ name, line: lineOf(node) })));
  const imported = imports.flatMap(({ specifier, names, line }) =>
    ['', ...names].map((name) => ({ name: `${specifier ?? ''} ${name}`.trim(), line })),
  );
  return [...refused(path, used, USES), ...refused(path, imported, MODULES)];
}

function refused(path: string, found: readonly { name: string; line: number }[], bans: readonly Ban[]): string[] {
  return found.flatMap(({ name, line }) =>
    bans
      .filter(({ what, places }) => what.test(name) && !places.some((place) => path.startsWith(place)))
      .map(({ instead }) => `${path}:${line}: ${name} is not for here; ${instead}`),
  );
}

/** The dotted names that a node uses. Aliases by destructuring count; what is merely declared or a member's name does not. */
function usesOf(node: ts.Node): string[] {
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    const name = dotted(node);
    return name ? [name] : [];
  }
  if (ts.isNewExpression(node) && isDate(node.expression) && !node.arguments?.length) return ['Date.now'];
  if (ts.isCallExpression(node) && isDate(node.expression)) return ['Date.now'];
  if (ts.isVariableDeclaration(node)) return taken(node);
  return ts.isIdentifier(node) && isRead(node) ? [node.text] : [];
}

function isDate(node: ts.Node): boolean {
  return dotted(node) === 'Date';
}

/** `a.b`, `a['b']` and `globalThis.a.b` as `a.b`; `undefined` for anything that is not a chain of plain names. */
function dotted(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node)) return node.text === 'globalThis' || node.text === 'global' ? '' : node.text;
  const member = memberOf(node);
  if (!member) return undefined;
  const object = dotted(member.object);
  if (object === undefined) return undefined;
  return object === '' ? member.name : `${object}.${member.name}`;
}

function memberOf(node: ts.Node): { object: ts.Node; name: string } | undefined {
  if (ts.isPropertyAccessExpression(node)) return { object: node.expression, name: node.name.text };
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) {
    return { object: node.expression, name: node.argumentExpression.text };
  }
  return undefined;
}

/** `const { stdout } = process` uses `process.stdout`. */
function taken({ name, initializer }: ts.VariableDeclaration): string[] {
  const object = initializer && dotted(initializer);
  if (object === undefined || !ts.isObjectBindingPattern(name)) return [];
  return name.elements.flatMap(({ propertyName, name: own }) => {
    const key = propertyName ?? own;
    if (!ts.isIdentifier(key)) return [];
    return object === '' ? key.text : `${object}.${key.text}`;
  });
}

function isRead(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  if (ts.isTypeNode(parent) || ts.isTypeQueryNode(parent) || ts.isImportSpecifier(parent)) return false;
  const declared = parent as Partial<ts.NamedDeclaration>;
  return declared.name !== node || ts.isShorthandPropertyAssignment(parent);
}
