// First floor, core: what every request of a session begins with, and how its history follows. Loaded with the first request.
import type { Clock, Files, PromptResources, PromptSources, Tool, ToolOffer } from '../../contracts/index.ts';
import { findContextFiles } from './context-files.ts';
import { snippetOf, systemPrompt } from './system-prompt.ts';

export { toModelMessages } from './to-model.ts';

export interface Opening {
  prompt: string;
  sources: PromptSources;
  offers: ToolOffer[];
  /** One sentence for each context file that is not used. */
  refused: readonly string[];
}

export interface Surroundings {
  tools: Promise<readonly Tool[]>;
  resources?: Pick<PromptResources, 'systemFile' | 'skillsBlock' | 'skills'> | undefined;
  systemPrompt?: string | undefined;
  appendSystemPrompt?: string | undefined;
  /** Do not read AGENTS.md and CLAUDE.md. */
  noContextFiles?: boolean | undefined;
  agentDirectory: string;
  cwd: string;
  files: Files;
  clock: Pick<Clock, 'now'>;
}

export async function openingOf(given: Surroundings): Promise<Opening> {
  const { agentDirectory, cwd, files, clock, resources } = given;
  const [tools, context, custom, append, block, skills = []] = await Promise.all([
    given.tools,
    given.noContextFiles ? { found: [], refused: [] } : findContextFiles(files, agentDirectory, cwd),
    given.systemPrompt ?? resources?.systemFile('SYSTEM.md'),
    given.appendSystemPrompt ?? resources?.systemFile('APPEND_SYSTEM.md'),
    resources?.skillsBlock(),
    resources?.skills(),
  ]);
  const contextFiles = context.found;
  const prompt = systemPrompt({
    custom,
    append,
    tools,
    contextFiles,
    // Who cannot read files has no use for a list of them.
    skills: tools.some((tool) => tool.file === 'read') ? block : undefined,
    date: localDate(new Date(clock.now())),
    cwd,
  });
  const { offerOf } = await import('./offers.ts');
  const told = tools.map((tool) => ({ name: tool.name, snippet: snippetOf(tool), guidelines: tool.guidelines ?? [] }));
  const sources = { cwd, custom, append, tools: told, contextFiles, skills };
  return { prompt, sources, offers: tools.map(offerOf), refused: context.refused };
}

/** YYYY-MM-DD where the user is. By hand, because the first use of a locale costs fifteen milliseconds. */
function localDate(now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
