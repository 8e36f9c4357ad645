// First floor, llm: which tool call carries out an errand. Knows the tools by the names and schemas that were offered.

import { isRecord } from '../../base/index.ts';
import type { ToolOffer } from '../../contracts/index.ts';
import type { Errand } from './intent.ts';

export interface PlannedCall {
  name: string;
  arguments: Record<string, unknown>;
}

const TOOL_OF: Readonly<Record<Errand['kind'], string>> = {
  list: 'ls',
  find: 'find',
  search: 'grep',
  read: 'read',
  summarise: 'read',
  run: 'bash',
  replace: 'edit',
  create: 'write',
  append: 'bash',
};

export function toolOf(errand: Errand): string {
  return TOOL_OF[errand.kind];
}

const LOOKING: ReadonlySet<Errand['kind']> = new Set(['list', 'find', 'search', 'read', 'summarise']);

/** Looking changes nothing, so that several looks may share one turn and none needs the user's exact words. */
export function onlyLooks(errand: Errand): boolean {
  return LOOKING.has(errand.kind);
}

/** The call for an errand, or nothing when its tool is not among those offered. */
export function callFor(errand: Errand, tools: readonly ToolOffer[]): PlannedCall | undefined {
  const offer = tools.find((tool) => tool.name === toolOf(errand));
  return offer && { name: offer.name, arguments: argumentsFor(errand, offer) };
}

function argumentsFor(errand: Errand, offer: ToolOffer): Record<string, unknown> {
  switch (errand.kind) {
    case 'list':
      return { path: errand.path };
    case 'find':
      return { pattern: errand.pattern, ...(errand.path !== undefined && { path: errand.path }) };
    case 'search':
      return searchArguments(errand);
    case 'read':
      return readArguments(errand);
    case 'summarise':
      return { path: errand.path };
    case 'run':
      return { command: errand.command };
    case 'replace':
      return editArguments(errand, offer);
    case 'create':
      return { path: errand.path, content: errand.content };
    case 'append':
      return { command: `printf '%s\\n' ${shellWord(errand.content)} >> ${shellWord(errand.path)}` };
  }
}

function searchArguments(errand: Errand & { kind: 'search' }): Record<string, unknown> {
  const literal = !errand.regex && /[\\^$.*+?()[\]{}|]/.test(errand.pattern);
  return {
    pattern: errand.pattern,
    ...(errand.path !== undefined && { path: errand.path }),
    ...(errand.glob !== undefined && { glob: errand.glob }),
    ...(errand.ignoreCase && { ignoreCase: true }),
    ...(literal && { literal: true }),
  };
}

function readArguments({ path, from, to }: Errand & { kind: 'read' }): Record<string, unknown> {
  if (from === undefined) return { path };
  return { path, offset: from, ...(to !== undefined && { limit: to - from + 1 }) };
}

/** Some edit tools take a list of edits, others one pair of texts: the offered schema says which. */
function editArguments(errand: Errand & { kind: 'replace' }, offer: ToolOffer): Record<string, unknown> {
  const { path, oldText, newText } = errand;
  const properties = isRecord(offer.parameters.properties) ? offer.parameters.properties : {};
  const takesList = Object.hasOwn(properties, 'edits') && !Object.hasOwn(properties, 'oldText');
  return takesList ? { path, edits: [{ oldText, newText }] } : { path, oldText, newText };
}

/** One word for a POSIX shell, whatever it holds. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
