// The law of the house as one pure function: file texts in, sentences about what breaks it out.
import { posix } from 'node:path';
import type ts from 'typescript';
import { bansIn } from './bans.ts';
import { type Import, importsOf, parse, resolveImport } from './imports.ts';
import { namingIn } from './naming.ts';

const GROUND = ['base', 'protocol', 'contracts'];
const ROOMS = ['transports', 'dialects', 'server', 'commands', 'core', 'llm', 'tools', 'store'];

/** Which layer may import which others. Its own files a layer always may. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  protocol: ['base'],
  contracts: ['base', 'protocol'],
  ...Object.fromEntries(ROOMS.map((room) => [room, GROUND])),
  client: [...GROUND, 'commands', 'dialects', 'transports'],
  terminal: [...GROUND, 'client'],
  app: [...GROUND, ...ROOMS, 'client', 'terminal'],
  cli: ['app', 'base'],
  testing: [...GROUND, ...ROOMS, 'client', 'app'],
};

const PACKAGE = 'parley-agent';
const MAX_LINES = 400;

interface File {
  readonly path: string;
  readonly text: string;
  readonly source: ts.SourceFile;
  readonly imports: readonly Import[];
}

/** One sentence per breach, sorted; nothing when the house stands. Paths are like `src/core/index.ts`. */
export function violations(texts: ReadonlyMap<string, string>): string[] {
  const files = [...texts].map(([path, text]): File => {
    const source = parse(path, text);
    return { path, text, source, imports: importsOf(source) };
  });
  return [...files.flatMap(checkFile), ...cyclesAmong(files)].sort();
}

function checkFile(file: File): string[] {
  return [
    ...checkLayer(file),
    ...checkSize(file),
    ...namingIn(file.path, file.source),
    ...bansIn(file.path, file.source, file.imports),
  ];
}

function checkLayer({ path, imports }: File): string[] {
  const layer = layerOf(path);
  const allowed = MAY_IMPORT[layer];
  if (!allowed) return [`${path}: no layer is called ${layer}`];
  return imports.flatMap(({ specifier, line }) => {
    const at = `${path}:${line}`;
    if (specifier === undefined) return [`${at}: imports a computed path, which nobody can check`];
    if (specifier === PACKAGE || specifier.startsWith(`${PACKAGE}/`)) return [`${at}: imports its own package`];
    const target = resolveImport(path, specifier);
    if (target === undefined) return [];
    if (!target.startsWith('src/')) return [`${at}: imports ${target}, outside src`];
    const to = layerOf(target);
    return to === layer || allowed.includes(to) ? [] : [`${at}: ${layer} may not import ${to} (${specifier})`];
  });
}

function layerOf(path: string): string {
  const [, layer = '', ...rest] = path.split('/');
  return rest.length === 0 ? '' : layer;
}

function checkSize({ path, text }: File): string[] {
  const lines = text.replace(/\n$/, '').split('\n').length;
  return lines > MAX_LINES ? [`${path}: has ${lines} lines, more than ${MAX_LINES}`] : [];
}

/** Each ring of imports once, told from its alphabetically first file. Types count: a ring of types is a ring of ideas. */
function cyclesAmong(files: readonly File[]): string[] {
  const edges = new Map(files.map((file) => [file.path, targetsOf(file)]));
  const state = new Map<string, 'open' | 'done'>();
  const found = new Set<string>();
  const walk = (path: string, trail: string[]): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      found.add(rotated(trail.slice(trail.indexOf(path))));
      return;
    }
    state.set(path, 'open');
    for (const to of edges.get(path) ?? []) walk(to, [...trail, path]);
    state.set(path, 'done');
  };
  for (const path of edges.keys()) walk(path, []);
  return [...found].map((ring) => `${ring}: files import one another in a ring`);
}

function targetsOf({ path, imports }: File): string[] {
  return imports
    .flatMap(({ specifier }) => resolveImport(path, specifier ?? '') ?? [])
    .map((to) => posix.normalize(to));
}

function rotated(ring: readonly string[]): string {
  const first = ring.indexOf([...ring].sort()[0] ?? '');
  const turned = [...ring.slice(first), ...ring.slice(0, first)];
  return [...turned, turned[0]].join(' → ');
}
