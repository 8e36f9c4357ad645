// First floor, core: one kind of subagent, as a Markdown file describes it. Pure; knows no folders.
import { is } from 'valibot';
import { parseFrontmatter } from '../../base/frontmatter.ts';
import { Fault } from '../../base/index.ts';
import { type ThinkingLevel, thinkingLevel } from '../../protocol/index.ts';

export type AgentSource = 'bundled' | 'user' | 'project';

export interface AgentDefinition {
  readonly name: string;
  /** For the model that chooses among them. */
  readonly description: string;
  /** Only these of its parent's tools; all of them when absent. */
  readonly tools: readonly string[] | undefined;
  /** Which agents it may start itself. */
  readonly spawns: '*' | readonly string[];
  /** Names or parts of names, the first that exists counts; its parent's model when none does. */
  readonly models: readonly string[];
  readonly thinkingLevel: ThinkingLevel | undefined;
  /** What its answer must look like. */
  readonly output: unknown;
  /** What it is told about itself. */
  readonly prompt: string;
  readonly source: AgentSource;
}

/** Throws a Fault that says what is missing. */
export function parseAgent(text: string, source: AgentSource): AgentDefinition {
  const { fields, body } = parseFrontmatter(text);
  const level = fields['thinking-level'] ?? fields.thinkingLevel ?? fields.thinking_level ?? undefined;
  if (level !== undefined && !is(thinkingLevel, level)) throw new Fault('config', `unknown thinking level: ${level}`);
  const tools = words(fields.tools);
  const spawns = words(fields.spawns) ?? [];
  return {
    name: required(fields, 'name'),
    description: required(fields, 'description'),
    tools: tools?.includes('*') ? undefined : tools,
    spawns: spawns.includes('*') ? '*' : spawns,
    models: words(fields.model) ?? [],
    thinkingLevel: level,
    output: fields.output ?? undefined,
    prompt: body.trim(),
    source,
  };
}

function required(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  throw new Fault('config', `the field ${name} is missing`);
}

/** A list, or words separated by commas. `undefined` when nothing is said. */
function words(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const items = Array.isArray(value) ? value.map(String) : String(value).split(',');
  return items.map((item) => item.trim()).filter((item) => item !== '');
}
