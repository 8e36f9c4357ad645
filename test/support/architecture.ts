// The architecture rules as one pure function: file texts in, one sentence per violation out.
import { posix } from 'node:path';
import ts from 'typescript';
import { findBannedUses } from './bans.ts';
import { findDialectNames } from './dialect-names.ts';
import { findImports, getLine, type Import, listNodes, parseSource, resolveImport } from './imports.ts';
import { findNamingErrors } from './naming.ts';

const FOUNDATION = ['base', 'protocol', 'contracts'];
const MODULES = [
  ...['transports', 'dialects', 'server', 'commands', 'core', 'llm', 'tools', 'store', 'mcp'],
  ...['permissions', 'sandbox', 'telemetry', 'http', 'fleet'],
];

/** Which module may import which others. Its own files a module may always import. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  protocol: ['base'],
  contracts: ['base', 'protocol'],
  support: FOUNDATION,
  ...Object.fromEntries(MODULES.map((module) => [module, [...FOUNDATION, 'support']])),
  settings: [...FOUNDATION, 'support', 'permissions', 'sandbox'],
  extensions: [...FOUNDATION, 'support', 'settings', 'core', 'llm', 'tools', 'store', 'transports'],
  trust: [...FOUNDATION, 'support', 'settings', 'extensions'],
  client: [...FOUNDATION, 'commands', 'dialects', 'transports'],
  terminal: [...FOUNDATION, 'client'],
  app: [...FOUNDATION, 'support', ...MODULES, 'settings', 'trust', 'extensions', 'client', 'terminal'],
  cli: ['app', 'settings', 'support', 'base'],
  testing: [...FOUNDATION, 'support', ...MODULES, 'settings', 'trust', 'extensions', 'client', 'app'],
};

/** Other modules import these only through an `index.ts`, or lazily by `import(…)`. */
const INDEXED_MODULES = ['core', 'llm', 'settings', 'trust', 'extensions'];

/**
 * Files that other modules import directly, because only lazy code needs them: esbuild puts everything that an index exports into
 * the chunk of the first file that imports the index, which is the start chunk.
 */
const LAZY_INTERFACES = [
  'src/core/agent/run-scope.ts',
  'src/core/agent/run-turns.ts',
  'src/core/compaction/tokens.ts',
  'src/core/context/context-files.ts',
  'src/core/context/describe-tool.ts',
  'src/core/context/to-model-messages.ts',
  'src/core/export/markup-renderers.ts',
  'src/core/export/render-page.ts',
  'src/core/git/git.ts',
  'src/core/policy/compaction-policy.ts',
  'src/core/policy/retry-policy.ts',
  'src/core/resources/resources.ts',
  'src/core/resources/skills.ts',
  'src/core/resources/templates.ts',
  'src/core/subagent/isolation/capture-change.ts',
  'src/core/subagent/isolation/snapshot.ts',
  'src/core/subagent/verification-plan.ts',
  'src/core/subagent/verify-with-repair.ts',
  'src/extensions/discover-extensions.ts',
  'src/llm/catalogue.ts',
  'src/llm/cost.ts',
  'src/llm/credentials/auth-file.ts',
  'src/llm/credentials/login-flows.ts',
  'src/llm/credentials/provider-auth.ts',
  'src/llm/credentials/key-characters.ts',
  'src/llm/message-builder.ts',
  'src/llm/providers/providers.ts',
  'src/llm/select-model.ts',
  'src/llm/tool-arguments.ts',
  'src/sandbox/network/allow-list-policy.ts',
  'src/settings/flags/flag-docs.ts',
  'src/settings/setting-docs.ts',
  'src/settings/setting-rules.ts',
  'src/settings/unknown-keys.ts',
  'src/settings/write-settings.ts',
  'src/trust/inventory.ts',
  'src/trust/saved-decision.ts',
  'src/trust/trust-file.ts',
];

const PACKAGE = 'parley-agent';
const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 60;

interface File {
  readonly path: string;
  readonly text: string;
  readonly source: ts.SourceFile;
  readonly imports: readonly Import[];
}

/** Sorted; empty when every rule holds. Paths are like `src/core/index.ts`. */
export function findViolations(texts: ReadonlyMap<string, string>): string[] {
  const files = [...texts].map(([path, text]): File => {
    const source = parseSource(path, text);
    return { path, text, source, imports: findImports(source) };
  });
  return [...files.flatMap(checkFile), ...findFileCycles(files), ...findFolderCycles(files)].sort();
}

function checkFile(file: File): string[] {
  return [
    ...checkModule(file),
    ...checkSize(file),
    ...checkFunctions(file),
    ...findNamingErrors(file.path, file.source),
    ...findBannedUses(file.path, file.source, file.imports),
    ...findDialectNames(file.path, file.text),
  ];
}

function checkModule({ path, imports }: File): string[] {
  const module = getModule(path);
  const allowed = MAY_IMPORT[module];
  if (!allowed) return [`${path}: there is no module ${module}`];
  return imports.flatMap(({ specifier, line, isDynamic }) => {
    const at = `${path}:${line}`;
    if (specifier === undefined) return [`${at}: imports a computed path, which cannot be checked`];
    if (specifier === PACKAGE || specifier.startsWith(`${PACKAGE}/`)) return [`${at}: imports its own package`];
    const target = resolveImport(path, specifier);
    if (target === undefined) return [];
    if (!target.startsWith('src/')) return [`${at}: imports ${target}, outside src`];
    const to = getModule(target);
    if (to === module) return [];
    if (!allowed.includes(to)) return [`${at}: ${module} may not import ${to} (${specifier})`];
    const isPublic = target.endsWith('/index.ts') || LAZY_INTERFACES.includes(target);
    if (!INDEXED_MODULES.includes(to) || isDynamic || isPublic) return [];
    return [`${at}: imports ${target}; import it from the index of ${to}`];
  });
}

function getModule(path: string): string {
  const [, module = '', ...rest] = path.split('/');
  return rest.length === 0 ? '' : module;
}

function checkSize({ path, text }: File): string[] {
  const lines = text.replace(/\n$/, '').split('\n').length;
  return lines > MAX_FILE_LINES ? [`${path}: has ${lines} lines, more than ${MAX_FILE_LINES}`] : [];
}

/** From the first to the last line of the function, functions inside it included. */
function checkFunctions({ path, source }: File): string[] {
  return listNodes(source).flatMap((node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return [];
    const first = getLine(node);
    const lines = source.getLineAndCharacterOfPosition(node.end).line + 2 - first;
    if (lines <= MAX_FUNCTION_LINES) return [];
    return [`${path}:${first}: the function has ${lines} lines, more than ${MAX_FUNCTION_LINES}`];
  });
}

/** Each cycle once, beginning with its alphabetically first file. Imports of types count. */
function findFileCycles(files: readonly File[]): string[] {
  const edges = new Map(files.map((file) => [file.path, listTargets(file)]));
  return findCycles(edges).map((cycle) => `${cycle}: files import one another in a cycle`);
}

/** Folders of which one contains the other belong together: only imports between separate folders count. */
function findFolderCycles(files: readonly File[]): string[] {
  const edges = new Map<string, string[]>();
  for (const file of files) {
    const from = posix.dirname(file.path);
    const to = listTargets(file)
      .map((target) => posix.dirname(target))
      .filter((folder) => folder.startsWith('src/') && !isNested(from, folder));
    edges.set(from, [...(edges.get(from) ?? []), ...to]);
  }
  return findCycles(edges).map((cycle) => `${cycle}: folders import one another in a cycle`);
}

function isNested(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function findCycles(edges: ReadonlyMap<string, readonly string[]>): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const found = new Set<string>();
  const walk = (node: string, trail: string[]): void => {
    if (state.get(node) === 'done') return;
    if (state.get(node) === 'open') {
      found.add(formatCycle(trail.slice(trail.indexOf(node))));
      return;
    }
    state.set(node, 'open');
    for (const to of edges.get(node) ?? []) walk(to, [...trail, node]);
    state.set(node, 'done');
  };
  for (const node of edges.keys()) walk(node, []);
  return [...found];
}

function listTargets({ path, imports }: File): string[] {
  return imports
    .flatMap(({ specifier }) => resolveImport(path, specifier ?? '') ?? [])
    .map((to) => posix.normalize(to));
}

function formatCycle(cycle: readonly string[]): string {
  const first = cycle.indexOf([...cycle].sort()[0] ?? '');
  const rotated = [...cycle.slice(first), ...cycle.slice(0, first)];
  return [...rotated, rotated[0]].join(' → ');
}
