// First floor, core: what every request of a session begins with, and how its history follows. Loaded with the first request.
import type { Clock, Files, PromptResources, Tool, ToolOffer } from '../../contracts/index.ts';
import { findContextFiles } from './context-files.ts';
import { systemPrompt } from './system-prompt.ts';

export { toModelMessages } from './to-model.ts';

export interface Opening {
  prompt: string;
  offers: ToolOffer[];
}

export interface Surroundings {
  tools: Promise<readonly Tool[]>;
  resources?: Pick<PromptResources, 'systemFile' | 'skillsBlock'> | undefined;
  systemPrompt?: string | undefined;
  appendSystemPrompt?: string | undefined;
  agentDirectory: string;
  cwd: string;
  files: Files;
  clock: Pick<Clock, 'now'>;
}

export async function openingOf(given: Surroundings): Promise<Opening> {
  const { agentDirectory, cwd, files, clock, resources } = given;
  const [tools, contextFiles, custom, append, skills] = await Promise.all([
    given.tools,
    findContextFiles(files, agentDirectory, cwd),
    given.systemPrompt ?? resources?.systemFile('SYSTEM.md'),
    given.appendSystemPrompt ?? resources?.systemFile('APPEND_SYSTEM.md'),
    resources?.skillsBlock(),
  ]);
  const prompt = systemPrompt({
    custom,
    append,
    tools,
    contextFiles,
    // Who cannot read files has no use for a list of them.
    skills: tools.some((tool) => tool.file === 'read') ? skills : undefined,
    date: localDate(new Date(clock.now())),
    cwd,
  });
  const { offerOf } = await import('./offers.ts');
  return { prompt, offers: tools.map(offerOf) };
}

/** YYYY-MM-DD where the user is. By hand, because the first use of a locale costs fifteen milliseconds. */
function localDate(now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
