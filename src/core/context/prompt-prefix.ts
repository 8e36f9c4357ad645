// Builds the system prompt and the tool list of a session. Loaded with the first request.
import type {
  Clock,
  Files,
  OfferedTools,
  PromptResources,
  SystemPromptSources,
  ToolDefinition,
} from '../../contracts/index.ts';
import { findContextFiles } from './context-files.ts';
import { buildSystemPrompt, getToolSnippet } from './system-prompt.ts';

export interface PromptPrefix {
  systemPrompt: string;
  sources: SystemPromptSources;
  tools: ToolDefinition[];
  /** One sentence for each context file that is not used. */
  warnings: readonly string[];
}

export interface PromptPrefixOptions {
  tools: Promise<OfferedTools>;
  resources?: Pick<PromptResources, 'readSystemFile' | 'buildSkillsBlock' | 'listSkills'> | undefined;
  systemPrompt?: string | undefined;
  appendSystemPrompt?: string | undefined;
  /** Do not read AGENTS.md and CLAUDE.md. */
  noContextFiles?: boolean | undefined;
  agentDirectory: string;
  cwd: string;
  files: Files;
  clock: Pick<Clock, 'now'>;
}

export async function buildPromptPrefix(options: PromptPrefixOptions): Promise<PromptPrefix> {
  const { agentDirectory, cwd, files, clock, resources } = options;
  const [{ tools, promptSection }, context, custom, append, skillsBlock, skills = []] = await Promise.all([
    options.tools,
    options.noContextFiles ? { found: [], warnings: [] } : findContextFiles(files, agentDirectory, cwd),
    options.systemPrompt ?? resources?.readSystemFile('SYSTEM.md'),
    options.appendSystemPrompt ?? resources?.readSystemFile('APPEND_SYSTEM.md'),
    resources?.buildSkillsBlock(),
    resources?.listSkills(),
  ]);
  const contextFiles = context.found;
  const systemPrompt = buildSystemPrompt({
    custom,
    append,
    tools,
    contextFiles,
    toolSection: promptSection,
    // The skills block lists files. It is useless without a tool that reads files.
    skills: tools.some((tool) => tool.fileAccess === 'read') ? skillsBlock : undefined,
    date: formatLocalDate(new Date(clock.now())),
    cwd,
  });
  const { describeTool } = await import('./describe-tool.ts');
  const toolSources = tools.map((tool) => ({
    name: tool.name,
    snippet: getToolSnippet(tool),
    guidelines: tool.guidelines ?? [],
  }));
  const sources = { cwd, custom, append, tools: toolSources, contextFiles, skills };
  return { systemPrompt, sources, tools: tools.map(describeTool), warnings: context.warnings };
}

/** YYYY-MM-DD in local time. Does not use Intl, because its first use takes 15 ms. */
function formatLocalDate(now: Date): string {
  const padTwo = (value: number) => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${padTwo(now.getMonth() + 1)}-${padTwo(now.getDate())}`;
}
