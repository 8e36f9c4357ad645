// Parses definitions of MCP servers: the `mcpServers` object that Claude Code, Cursor and VS Code share.
import { isRecord } from '../base/index.ts';
import type { McpHttpServer, McpServerDefinition, McpStdioServer } from '../contracts/index.ts';
import { expandVariables } from './expand-variables.ts';

interface ParseOptions {
  /** Where the value comes from, for messages. */
  readonly source: string;
  /** The values of `${VAR}`. */
  readonly env: Readonly<Record<string, string>>;
}

interface ParsedServers {
  readonly definitions: McpServerDefinition[];
  /** One sentence for each definition that is left out. */
  readonly problems: string[];
}

const TYPES: Readonly<Record<string, 'stdio' | 'http' | 'sse'>> = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  sse: 'sse',
};
const MAX_NAME_LENGTH = 100;

/** `value` is the whole content of the file. Servers with `disabled: true` are left out without a problem. */
export function parseMcpServers(value: unknown, options: ParseOptions): ParsedServers {
  const servers = isRecord(value) ? (value.mcpServers ?? value.servers ?? {}) : undefined;
  if (!isRecord(servers)) {
    const what = isRecord(value) ? '"mcpServers" must be an object' : 'must be an object with "mcpServers"';
    return { definitions: [], problems: [`${options.source}: ${what}.`] };
  }
  const definitions: McpServerDefinition[] = [];
  const problems: string[] = [];
  for (const [name, entry] of Object.entries(servers)) {
    if (isRecord(entry) && entry.disabled === true) continue;
    try {
      definitions.push({ name: checkName(name), server: parseServer(entry, options.env), source: options.source });
    } catch (thrown) {
      if (!(thrown instanceof DefinitionProblem)) throw thrown;
      problems.push(
        `${options.source}: MCP server ${JSON.stringify(name.slice(0, MAX_NAME_LENGTH))}: ${thrown.message}.`,
      );
    }
  }
  return { definitions, problems };
}

/** The message names the field. */
class DefinitionProblem extends Error {}

function checkName(name: string): string {
  if (name.trim() === '' || name.length > MAX_NAME_LENGTH) {
    throw new DefinitionProblem(`the name must have 1 to ${MAX_NAME_LENGTH} characters`);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names are shown in terminals
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name)) {
    throw new DefinitionProblem('the name must not contain control characters');
  }
  return name;
}

function parseServer(entry: unknown, env: ParseOptions['env']): McpStdioServer | McpHttpServer {
  if (!isRecord(entry)) throw new DefinitionProblem('the definition must be an object');
  const reader = new FieldReader(entry, (text) => expandVariables(text, env, refuseMissing));
  const type = findType(entry);
  return type === 'stdio' ? parseStdio(reader) : parseHttp(type, reader);
}

function refuseMissing(variable: string): never {
  throw new DefinitionProblem(
    `the variable ${variable} is not set. Set it, or write a default: \${${variable}:-default}`,
  );
}

function findType(entry: Readonly<Record<string, unknown>>): 'stdio' | 'http' | 'sse' {
  const { type, command, url } = entry;
  if (type === undefined) {
    if (command !== undefined && url !== undefined)
      throw new DefinitionProblem('"command" and "url" exclude each other');
    if (command !== undefined) return 'stdio';
    if (url !== undefined) return 'http';
    throw new DefinitionProblem('"command" or "url" is missing');
  }
  const known = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (known) return known;
  throw new DefinitionProblem(`"type" must be stdio, http, sse or streamable-http, not ${JSON.stringify(type)}`);
}

function parseStdio(reader: FieldReader): McpStdioServer {
  const command = reader.readText('command');
  if (command === undefined || command.trim() === '') throw new DefinitionProblem('"command" must not be empty');
  const cwd = reader.readText('cwd');
  return {
    type: 'stdio',
    command,
    args: reader.readTexts('args'),
    env: reader.readRecord('env'),
    ...(cwd ? { cwd } : {}),
  };
}

function parseHttp(type: 'http' | 'sse', reader: FieldReader): McpHttpServer {
  const url = reader.readText('url');
  if (url === undefined) throw new DefinitionProblem('"url" is missing');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new DefinitionProblem('"url" must be an http or https URL');
  }
  const headers = reader.readRecord('headers');
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeader(name, value)) throw new DefinitionProblem(`"headers": ${JSON.stringify(name)} is not a valid header`);
  }
  const oauth = reader.readOauth();
  return { type, url, headers, ...(oauth ? { oauth } : {}) };
}

function isHeader(name: string, value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && !/[\u0000\r\n]|[^\u0000-\u00ff]/.test(value);
}

/** Reads the fields of one definition and expands variables in them. */
class FieldReader {
  readonly #entry: Readonly<Record<string, unknown>>;
  readonly #expand: (text: string) => string;

  constructor(entry: Readonly<Record<string, unknown>>, expand: (text: string) => string) {
    this.#entry = entry;
    this.#expand = expand;
  }

  readText(field: string): string | undefined {
    const value = this.#entry[field] ?? undefined;
    return value === undefined ? undefined : this.#toText(value, `"${field}"`);
  }

  readTexts(field: string): string[] {
    const value = this.#entry[field] ?? [];
    if (!Array.isArray(value)) throw new DefinitionProblem(`"${field}" must be an array of strings`);
    return value.map((item, index) => this.#toText(item, `"${field}[${index}]"`));
  }

  /** Numbers and booleans are accepted, because users often write them without quotes. */
  readRecord(field: string): Record<string, string> {
    const value = this.#entry[field] ?? {};
    if (!isRecord(value)) throw new DefinitionProblem(`"${field}" must be an object`);
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        const isScalar = typeof item === 'number' || typeof item === 'boolean';
        return [name, isScalar ? String(item) : this.#toText(item, `"${field}.${name}"`)];
      }),
    );
  }

  readOauth(): McpHttpServer['oauth'] {
    const { oauth } = this.#entry;
    if (oauth === undefined || oauth === null) return undefined;
    if (!isRecord(oauth)) throw new DefinitionProblem('"oauth" must be an object');
    const inner = new FieldReader(oauth, this.#expand);
    const clientId = inner.readText('clientId');
    const { scopes } = oauth;
    const list = typeof scopes === 'string' ? scopes.split(/\s+/).filter(Boolean) : inner.readTexts('scopes');
    return { ...(clientId === undefined ? {} : { clientId }), ...(list.length > 0 ? { scopes: list } : {}) };
  }

  #toText(value: unknown, field: string): string {
    if (typeof value !== 'string') throw new DefinitionProblem(`${field} must be a string`);
    if (value.includes('\0')) throw new DefinitionProblem(`${field} must not contain a NUL character`);
    return this.#expand(value);
  }
}
