// Converts the sources of the system prompt to pi's `systemPromptOptions`. Pure.
import type { SystemPromptSources } from '../../contracts/index.ts';

/** Without `sources` only `cwd` is filled in. Handlers may only add to `sections`; other changes have no effect. */
export function createPromptOptions(sources: SystemPromptSources | undefined, cwd: string) {
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
