// First floor, core: what a system prompt was put together from, in the spelling of extensions. Pure.
import type { PromptSources } from '../../contracts/index.ts';

/** Nothing but the directory, as long as no prompt was put together. Only sections are to be added to. */
export function promptOptions(sources: PromptSources | undefined, cwd: string) {
  const tools = sources?.tools ?? [];
  return {
    cwd,
    ...(sources?.custom === undefined ? {} : { customPrompt: sources.custom }),
    ...(sources?.append === undefined ? {} : { appendSystemPrompt: sources.append }),
    selectedTools: tools.map(({ name }) => name),
    hiddenTools: [],
    toolSnippets: Object.fromEntries(tools.map(({ name, snippet }) => [name, snippet])),
    toolGuidelines: Object.fromEntries(tools.map(({ name, guidelines }) => [name, [...guidelines]])),
    promptGuidelines: [],
    sections: {} as Record<string, unknown>,
    contextFiles: (sources?.contextFiles ?? []).map((file) => ({ ...file })),
    skills: (sources?.skills ?? []).map((skill) => ({ ...skill })),
  };
}
