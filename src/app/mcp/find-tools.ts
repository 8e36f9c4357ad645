// The tools `find_tools` and `call_tool`: how a model uses MCP tools that are not in the request.
import { object, optional, record, string, unknown } from 'valibot';
import { Fault, isRecord } from '../../base/index.ts';
import { type DelegatedCall, type Tool, tool } from '../../contracts/index.ts';
import { describeTool } from '../../core/context/describe-tool.ts';

const MAX_RESULTS = 8;
const MAX_EXACT_RESULTS = 20;
/** Of one answer, in characters. */
const MAX_TEXT_LENGTH = 30_000;
const MAX_LISTED_NAMES = 100;

export function createFindTools(tools: readonly Tool[]): Tool {
  return tool({
    name: 'find_tools',
    effect: 'read',
    snippet: '',
    doc: 'Get descriptions and parameters of MCP tools. query: exact names, or words to search for.',
    params: object({ query: string() }),
    run: async ({ query }) => ({ content: [{ type: 'text', text: describeMatches(tools, query) }] }),
  }) as unknown as Tool;
}

/** Hooks, approvals and events see a call of the MCP tool: `delegate` replaces this tool before anything else happens. */
export function createCallTool(tools: readonly Tool[]): Tool {
  return tool({
    name: 'call_tool',
    effect: 'read',
    snippet: '',
    doc: 'Call an MCP tool by its full name, with the arguments that find_tools describes.',
    params: object({ name: string(), arguments: optional(record(string(), unknown())) }),
    delegate: (args) => findCall(tools, args),
    run: async ({ name }) => {
      throw new Fault('not_found', `There is no MCP tool ${name}. Use find_tools to get the exact name.`);
    },
  }) as unknown as Tool;
}

/** `undefined` for an unknown name or invalid arguments: `call_tool` itself then fails with a message. */
function findCall(tools: readonly Tool[], args: Readonly<Record<string, unknown>>): DelegatedCall | undefined {
  const found = tools.find(({ name }) => name === args.name);
  const input = readArguments(args.arguments);
  return found && input && { tool: found, input };
}

/** Some models send the arguments as JSON text. */
function readArguments(value: unknown): Record<string, unknown> | undefined {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'string') return isRecord(value) ? value : undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function describeMatches(tools: readonly Tool[], query: string): string {
  const words = query
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter((word) => word !== '');
  const exact = tools.filter(({ name }) => words.includes(name.toLowerCase())).slice(0, MAX_EXACT_RESULTS);
  const matches = exact.length > 0 ? exact : searchTools(tools, words);
  if (matches.length === 0) return `No tool matches ${JSON.stringify(query)}. ${listNames(tools)}`;
  const shown = exact.length > 0 ? matches : matches.slice(0, MAX_RESULTS);
  const texts: string[] = [];
  let length = 0;
  for (const match of shown) {
    const text = formatTool(match, MAX_TEXT_LENGTH - length);
    if (text === undefined) break;
    texts.push(text);
    length += text.length;
  }
  const rest = matches.slice(texts.length);
  if (rest.length > 0) texts.push(`More matches, without their parameters: ${listNames(rest)}`);
  return texts.join('\n\n');
}

/** Best match first. A word in the name counts more than one in the description. */
function searchTools(tools: readonly Tool[], words: readonly string[]): Tool[] {
  const scored = tools.map((candidate, position) => {
    const name = candidate.name.toLowerCase();
    const doc = candidate.doc.toLowerCase();
    const score = words.reduce((sum, word) => sum + (name.includes(word) ? 3 : 0) + (doc.includes(word) ? 1 : 0), 0);
    return { candidate, position, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.position - b.position)
    .map(({ candidate }) => candidate);
}

/** `undefined` when it is longer than `maxLength`, unless nothing else was shown. */
function formatTool(match: Tool, maxLength: number): string | undefined {
  const { name, description, parameters } = describeTool(match);
  const text = `${name}\n${description}\nparameters: ${JSON.stringify(parameters)}`;
  if (text.length <= maxLength) return text;
  if (maxLength < MAX_TEXT_LENGTH) return undefined;
  const properties = isRecord(parameters.properties) ? Object.keys(parameters.properties).join(', ') : '';
  const size = JSON.stringify(parameters).length;
  return `${name}\n${description.slice(0, MAX_TEXT_LENGTH / 2)}\nparameters: ${properties.slice(0, MAX_TEXT_LENGTH / 4)} (the schema has ${size} characters and is not shown)`;
}

function listNames(tools: readonly Tool[]): string {
  const names = tools.slice(0, MAX_LISTED_NAMES).map(({ name }) => name);
  const rest = tools.length > names.length ? ` and ${tools.length - names.length} more` : '';
  return `${names.join(', ')}${rest}`;
}
