// Lists the tools of MCP servers in the system prompt, in a limited number of bytes: names with a line each, names, or only counts.
import type { Tool } from '../../contracts/index.ts';

/** In the JSON of a request. With the definitions of find_tools and call_tool, MCP servers add at most 6 kB to it. */
const MAX_BYTES = 5000;
const MAX_LINE_LENGTH = 80;
/** A shorter text tells nothing. */
const MIN_LINE_LENGTH = 8;

const INTRODUCTION =
  'Tools of MCP servers, by the prefix of their names. To use one, get its parameters with find_tools and call it with call_tool.';

/** The same tools give the same text. */
export function formatToolList(tools: readonly Tool[]): string {
  const groups = groupByPrefix(tools);
  const format = (lineLength: number) => join(groups, (group) => formatTools(group, lineLength));
  let longest = 0;
  for (let low = MIN_LINE_LENGTH, high = MAX_LINE_LENGTH; low <= high; ) {
    const middle = Math.floor((low + high) / 2);
    if (fits(format(middle))) {
      longest = middle;
      low = middle + 1;
    } else high = middle - 1;
  }
  const list = format(longest);
  if (fits(list)) return list;
  const counts = join(groups, ({ members }) => `${members.length} tools`);
  return fits(counts) ? counts : `${INTRODUCTION}\n${tools.length} tools of ${groups.length} servers`;
}

interface ToolGroup {
  readonly prefix: string;
  readonly members: readonly Tool[];
}

function join(groups: readonly ToolGroup[], describe: (group: ToolGroup) => string): string {
  return [INTRODUCTION, ...groups.map((group) => `${group.prefix} ${describe(group)}`)].join('\n');
}

function formatTools({ prefix, members }: ToolGroup, lineLength: number): string {
  const lines = members.map(({ name, doc }) => {
    const text = shorten(doc, lineLength);
    return `${name.slice(prefix.length)}${text === '' ? '' : `: ${text}`}`;
  });
  return lines.join('; ');
}

/** `mcp__server__` in the order of the first tool of each. */
function groupByPrefix(tools: readonly Tool[]): ToolGroup[] {
  const groups = new Map<string, Tool[]>();
  for (const tool of tools) {
    const prefix = tool.name.slice(0, tool.name.indexOf('__', 'mcp__'.length) + 2);
    const members = groups.get(prefix) ?? [];
    members.push(tool);
    groups.set(prefix, members);
  }
  return [...groups].map(([prefix, members]) => ({ prefix, members }));
}

/** The beginning of the first line, in whole words. */
function shorten(doc: string, length: number): string {
  const [line = ''] = doc.trim().split('\n', 1);
  const text = line.trim().replaceAll(';', ',');
  if (text.length <= length) return text;
  const cut = text.slice(0, length + 1).lastIndexOf(' ');
  return text.slice(0, cut < MIN_LINE_LENGTH / 2 ? length : cut).trimEnd();
}

function fits(text: string): boolean {
  return Buffer.byteLength(JSON.stringify(text)) <= MAX_BYTES;
}
