// Parses an agent definition: a Markdown file with frontmatter that describes one kind of subagent.
import { is } from 'valibot';
import { Fault } from '../../base/index.ts';
import { type ThinkingLevel, thinkingLevel } from '../../protocol/index.ts';
import { parseFrontmatter } from '../../support/frontmatter.ts';

export type AgentSource = 'bundled' | 'user' | 'project';

export interface AgentDefinition {
  readonly name: string;
  /** Shown to the model that selects an agent. */
  readonly description: string;
  /** Names of the parent's tools that the subagent gets; all of them when `undefined`. */
  readonly tools: readonly string[] | undefined;
  /** Names of the agents that it may start as its own subagents. */
  readonly spawns: '*' | readonly string[];
  /** Model names or parts of them, in order of preference. The parent's model is used when none of them matches. */
  readonly models: readonly string[];
  readonly thinkingLevel: ThinkingLevel | undefined;
  /** Schema of its answer: a JSON Schema or a JSON Type Definition. */
  readonly outputSchema: unknown;
  /** System prompt: the body of the file. */
  readonly prompt: string;
  readonly source: AgentSource;
}

/** Rejects with a Fault when a required field is missing or the thinking level is unknown. */
export async function parseAgentDefinition(text: string, source: AgentSource): Promise<AgentDefinition> {
  const { fields, body } = await parseFrontmatter(text);
  const level = fields['thinking-level'] ?? fields.thinkingLevel ?? fields.thinking_level ?? undefined;
  if (level !== undefined && !is(thinkingLevel, level)) throw new Fault('config', `unknown thinking level: ${level}`);
  const tools = parseList(fields.tools);
  const spawns = parseList(fields.spawns) ?? [];
  return {
    name: readRequiredField(fields, 'name'),
    description: readRequiredField(fields, 'description'),
    tools: tools?.includes('*') ? undefined : tools,
    spawns: spawns.includes('*') ? '*' : spawns,
    models: parseList(fields.model) ?? [],
    thinkingLevel: level,
    outputSchema: fields.output ?? undefined,
    prompt: body.trim(),
    source,
  };
}

function readRequiredField(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  throw new Fault('config', `the field ${name} is missing`);
}

/** Accepts a YAML list or a comma-separated string. `undefined` when the field is absent. */
function parseList(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const items = Array.isArray(value) ? value.map(String) : String(value).split(',');
  return items.map((item) => item.trim()).filter((item) => item !== '');
}
