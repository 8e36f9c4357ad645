// Reads the tools, prompts and resources that a server lists. Entries with wrong types are left out.
import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isRecord } from '../base/index.ts';
import type { McpPrompt, McpResource } from '../contracts/index.ts';
import { findHeaderProblem } from './header-declarations.ts';
import { NO_TIMEOUT_MS } from './server-scope.ts';

const MAX_ITEMS = 1000;
const MAX_PAGES = 100;
const MAX_SCHEMA_LENGTH = 100_000;
const MAX_NAME_LENGTH = 256;
const MAX_DESCRIPTION_LENGTH = 2000;
const MAX_URI_LENGTH = 4000;
const MAX_ARGUMENTS = 50;

/** A tool with a usable schema. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  readonly isReadOnly: boolean;
  /** As the server sent it: the SDK derives HTTP headers from it. */
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** Why tools are left out. */
  readonly problems: readonly string[];
}

type Kind = 'tools' | 'prompts' | 'resources';
type Item = Readonly<Record<string, unknown>>;

/** The result is checked here, entry by entry: the SDK would refuse the whole list for one bad entry. */
const ANY_RESULT: StandardSchemaV1 = {
  '~standard': { version: 1, vendor: 'parley', validate: (value: unknown) => ({ value }) },
} as StandardSchemaV1;

export async function readTools(client: Client, signal: AbortSignal): Promise<ToolList> {
  const { items, problem } = await readPages(client, 'tools', signal);
  const problems = problem === undefined ? [] : [problem];
  const tools = new Map<string, ListedTool>();
  const hasHeaders = client.getProtocolEra() === 'modern';
  const findProblem = (schema: unknown) =>
    findSchemaProblem(schema) ?? (hasHeaders ? findHeaderProblem(schema) : undefined);
  for (const item of items) {
    const name = readText(item.name, MAX_NAME_LENGTH);
    const reason = name === undefined ? undefined : findProblem(item.inputSchema);
    if (name === undefined) problems.push('a tool has no valid name');
    else if (reason !== undefined) problems.push(`the tool ${JSON.stringify(name)} is left out: its schema ${reason}`);
    else if (!tools.has(name)) tools.set(name, parseTool(name, item));
  }
  return { tools: [...tools.values()], problems };
}

function parseTool(name: string, item: Item): ListedTool {
  const annotations = isRecord(item.annotations) ? item.annotations : {};
  const title = readText(item.title, MAX_NAME_LENGTH) ?? readText(annotations.title, MAX_NAME_LENGTH);
  return {
    name,
    description: shorten(item.description, MAX_DESCRIPTION_LENGTH) ?? title ?? name,
    inputSchema: item.inputSchema as Record<string, unknown>,
    isReadOnly: annotations.readOnlyHint === true,
    raw: item,
  };
}

function findSchemaProblem(schema: unknown): string | undefined {
  if (!isRecord(schema)) return 'is not an object';
  if (schema.type !== 'object') return 'does not describe an object';
  if (schema.properties !== undefined && !isRecord(schema.properties)) return 'has invalid properties';
  return JSON.stringify(schema).length > MAX_SCHEMA_LENGTH
    ? `has more than ${MAX_SCHEMA_LENGTH} characters`
    : undefined;
}

export async function readPrompts(client: Client, server: string, signal: AbortSignal): Promise<McpPrompt[]> {
  const { items } = await readPages(client, 'prompts', signal);
  return items.flatMap((item) => {
    const name = readText(item.name, MAX_NAME_LENGTH);
    if (name === undefined) return [];
    const description = shorten(item.description ?? item.title, MAX_DESCRIPTION_LENGTH);
    const list = Array.isArray(item.arguments) ? item.arguments.slice(0, MAX_ARGUMENTS) : [];
    return [
      { server, name, ...(description === undefined ? {} : { description }), arguments: list.flatMap(parseArgument) },
    ];
  });
}

function parseArgument(value: unknown): McpPrompt['arguments'][number][] {
  const name = isRecord(value) ? readText(value.name, MAX_NAME_LENGTH) : undefined;
  if (!isRecord(value) || name === undefined) return [];
  const description = shorten(value.description, MAX_DESCRIPTION_LENGTH);
  return [{ name, ...(description === undefined ? {} : { description }), required: value.required === true }];
}

export async function readResources(client: Client, server: string, signal: AbortSignal): Promise<McpResource[]> {
  const { items } = await readPages(client, 'resources', signal);
  return items.flatMap((item) => {
    const uri = readText(item.uri, MAX_URI_LENGTH);
    if (uri === undefined) return [];
    const description = shorten(item.description, MAX_DESCRIPTION_LENGTH);
    const mimeType = readText(item.mimeType, MAX_NAME_LENGTH);
    return [
      {
        server,
        uri,
        name: readText(item.name, MAX_NAME_LENGTH) ?? uri,
        ...(description === undefined ? {} : { description }),
        ...(mimeType === undefined ? {} : { mimeType }),
      },
    ];
  });
}

/** A list of which a page fails after the first counts as far as it was read. */
async function readPages(
  client: Client,
  kind: Kind,
  signal: AbortSignal,
): Promise<{ items: Item[]; problem?: string }> {
  const items: Item[] = [];
  if (!client.getServerCapabilities()?.[kind]) return { items };
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const request = { method: `${kind}/list` as const, params: cursor === undefined ? {} : { cursor } };
    const result: unknown = await client.request(request, ANY_RESULT, { signal, timeout: NO_TIMEOUT_MS });
    const entries = isRecord(result) ? result[kind] : undefined;
    if (!Array.isArray(entries)) return { items, problem: `its answer to ${kind}/list has no ${kind}` };
    items.push(...entries.slice(0, MAX_ITEMS - items.length).filter(isRecord));
    const next = isRecord(result) ? result.nextCursor : undefined;
    if (typeof next !== 'string' || next === '') return { items };
    if (seen.has(next)) return { items, problem: `its pages of ${kind} repeat` };
    if (items.length >= MAX_ITEMS) return { items, problem: `only its first ${MAX_ITEMS} ${kind} are used` };
    seen.add(next);
    cursor = next;
  }
  return { items, problem: `only the first ${MAX_PAGES} pages of its ${kind} are used` };
}

function readText(value: unknown, maxLength: number): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && value.length <= maxLength ? value : undefined;
}

function shorten(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const text = value.trim();
  return text.length > maxLength ? `${text.slice(0, maxLength).trimEnd().toWellFormed()}…` : text;
}
