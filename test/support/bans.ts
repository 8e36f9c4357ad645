// The rules about the outside world: which files may use stdout, the environment, the clock, randomness, timers, files, processes and the network.
import ts from 'typescript';
import { getLine, type Import, listNodes } from './imports.ts';

/** A path that ends with `/` stands for the whole folder, any other path for exactly that file. */
type AllowedPath = `src/${string}`;

const STDIO: readonly AllowedPath[] = [
  'src/transports/stdio-guard-fd.ts',
  'src/transports/stdio-guard-js.ts',
  'src/transports/stdio-guard.ts',
  'src/transports/stdio-pipe-watch.ts',
  'src/transports/stdio-sink.ts',
  'src/transports/stdio-terminal.ts',
  'src/transports/stdio-transport.ts',
];
const SYSTEM: readonly AllowedPath[] = ['src/app/system-ports/', 'src/transports/socket-transport.ts', ...STDIO];
// The host's side of the pipe, where there are no ports.
const HOSTS: readonly AllowedPath[] = [...SYSTEM, 'src/client/', 'src/testing/'];
/** The sockets and timers of the client, which also runs in browsers. */
const CLIENT_TIMERS: readonly AllowedPath[] = [...SYSTEM, 'src/client/timer.ts'];
const CLIENT_SOCKETS: readonly AllowedPath[] = [...SYSTEM, 'src/client/socket/'];
/** Everything else gets the environment as a value. */
const ENVIRONMENT: readonly AllowedPath[] = [
  'src/app/',
  'src/cli/main.ts',
  'src/client/spawn-agent.ts',
  'src/support/home-directory.ts',
];

/** What only files at `allowed` may use. */
interface Ban {
  readonly what: RegExp;
  readonly allowed: readonly AllowedPath[];
  readonly instead: string;
}

/** Matched against dotted names as they are used: `console`, `Date.now`, `process.stdout`, `setTimeout`. */
const USES: readonly Ban[] = [
  { what: /^process\.stdout$/, allowed: STDIO, instead: 'stdout carries frames only' },
  { what: /^process\.env$/, allowed: ENVIRONMENT, instead: 'take the environment as a parameter' },
  {
    what: /^process\.(exit|reallyExit|abort)$/,
    allowed: ['src/app/modes/shutdown.ts', 'src/transports/stdio-terminal.ts'],
    instead: 'set process.exitCode in cli, or use createShutdown',
  },
  { what: /^console$/, allowed: [], instead: 'use ports.log' },
  {
    what: /^(Date\.now|performance\.(now|timeOrigin|mark|measure)|process\.hrtime)$/,
    allowed: SYSTEM,
    instead: 'use ports.clock',
  },
  { what: /^(setTimeout|setInterval|setImmediate)$/, allowed: CLIENT_TIMERS, instead: 'use ports.clock' },
  { what: /^AbortSignal\.timeout$/, allowed: HOSTS, instead: 'use ports.clock' },
  { what: /^(Math\.random|crypto\.(random|getRandom)\w*)$/, allowed: CLIENT_SOCKETS, instead: 'use ports.ids' },
  { what: /^(fetch|WebSocket|EventSource)$/, allowed: CLIENT_SOCKETS, instead: 'use ports.sendHttp or ports.fetch' },
];

/** Matched against `module` and `module name` of every import. */
const MODULES: readonly Ban[] = [
  { what: /^(node:)?process stdout$/, allowed: STDIO, instead: 'stdout carries frames only' },
  { what: /^(node:)?process env$/, allowed: ENVIRONMENT, instead: 'take the environment as a parameter' },
  { what: /^(node:)?process exit$/, allowed: [], instead: 'set process.exitCode in cli, or use createShutdown' },
  { what: /^(node:)?console$/, allowed: [], instead: 'use ports.log' },
  { what: /^(node:)?timers(\/promises)?$/, allowed: SYSTEM, instead: 'use ports.clock' },
  { what: /^(node:)?perf_hooks$/, allowed: SYSTEM, instead: 'use ports.clock' },
  { what: /^(node:)?fs(\/promises)?$/, allowed: HOSTS, instead: 'use ports.files' },
  { what: /^(node:)?(child_process|cluster|worker_threads)$/, allowed: HOSTS, instead: 'use ports.processes' },
  { what: /^(node:)?crypto (random|getRandom)\w*$/, allowed: SYSTEM, instead: 'use ports.ids' },
  {
    what: /^(node:)?(http|https|http2|net|tls|dgram|undici)$/,
    allowed: HOSTS,
    instead: 'use ports.sendHttp or ports.fetch',
  },
];

export function findBannedUses(path: string, source: ts.SourceFile, imports: readonly Import[]): string[] {
  const declared = listDeclared(source);
  const used = listNodes(source)
    .flatMap((node) => listUses(node).map((name) => ({ name, line: getLine(node) })))
    .filter(({ name }) => !declared.has(name));
  const imported = imports.flatMap(({ specifier, names, line }) =>
    ['', ...names].map((name) => ({ name: `${specifier ?? ''} ${name}`.trim(), line })),
  );
  return [...checkBans(path, used, USES), ...checkBans(path, imported, MODULES)];
}

function checkBans(path: string, found: readonly { name: string; line: number }[], bans: readonly Ban[]): string[] {
  return found.flatMap(({ name, line }) =>
    bans
      .filter(({ what, allowed }) => what.test(name) && !allowed.some((one) => isAt(path, one)))
      .map(({ instead }) => `${path}:${line}: ${name} is not allowed here; ${instead}`),
  );
}

function isAt(path: string, allowed: AllowedPath): boolean {
  return allowed.endsWith('/') ? path.startsWith(allowed) : path === allowed;
}

/** The dotted names that a node uses. Aliases by destructuring count; what is merely declared or a member's name does not. */
function listUses(node: ts.Node): string[] {
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    const name = getDottedName(node);
    return name ? [name] : [];
  }
  if (ts.isNewExpression(node) && isDate(node.expression) && !node.arguments?.length) return ['Date.now'];
  if (ts.isCallExpression(node) && isDate(node.expression)) return ['Date.now'];
  if (ts.isVariableDeclaration(node)) return listDestructured(node);
  return ts.isIdentifier(node) && isRead(node) ? [node.text] : [];
}

/** Variables, parameters and imports of the file: `fetch` that comes in as a parameter is not the global one. */
function listDeclared(source: ts.SourceFile): ReadonlySet<string> {
  const names = listNodes(source).flatMap((node) => {
    const declares =
      ts.isParameter(node) || ts.isBindingElement(node) || ts.isVariableDeclaration(node) || ts.isImportSpecifier(node);
    if (!declares || !ts.isIdentifier(node.name) || isDestructuredGlobal(node)) return [];
    return [node.name.text];
  });
  return new Set(names);
}

/** `const { fetch } = globalThis` declares a name for the global function. */
function isDestructuredGlobal(node: ts.Node): boolean {
  const pattern = ts.isBindingElement(node) ? node.parent.parent : node;
  return (
    ts.isVariableDeclaration(pattern) && pattern.initializer !== undefined && getDottedName(pattern.initializer) === ''
  );
}

function isDate(node: ts.Node): boolean {
  return getDottedName(node) === 'Date';
}

/** `a.b`, `a['b']` and `globalThis.a.b` as `a.b`; `undefined` for anything that is not a chain of plain names. */
function getDottedName(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node)) return node.text === 'globalThis' || node.text === 'global' ? '' : node.text;
  const member = getMember(node);
  if (!member) return undefined;
  const object = getDottedName(member.object);
  if (object === undefined) return undefined;
  return object === '' ? member.name : `${object}.${member.name}`;
}

function getMember(node: ts.Node): { object: ts.Node; name: string } | undefined {
  if (ts.isPropertyAccessExpression(node)) return { object: node.expression, name: node.name.text };
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) {
    return { object: node.expression, name: node.argumentExpression.text };
  }
  return undefined;
}

/** `const { stdout } = process` uses `process.stdout`. */
function listDestructured({ name, initializer }: ts.VariableDeclaration): string[] {
  const object = initializer && getDottedName(initializer);
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
