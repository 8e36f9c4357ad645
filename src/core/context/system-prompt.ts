// Builds the system prompt. Pure. The output must be the same bytes in every turn, so that prompt caches stay valid.
import type { Tool } from '../../contracts/index.ts';
import type { ContextFile } from './context-files.ts';

export interface SystemPromptOptions {
  /** Replaces the introduction and the tool list. Context files, skills, date and directory are still added. */
  custom: string | undefined;
  append: string | undefined;
  tools: readonly Tool[];
  /** What the model must know about tools that are not in the request. */
  toolSection?: string | undefined;
  contextFiles: readonly ContextFile[];
  skills?: string | undefined;
  /** YYYY-MM-DD */
  date: string;
  cwd: string;
}

const INTRODUCTION = `You are Parley, a coding agent inside a host program. You help by reading files, running commands, and editing and writing code in the user's project.`;

const GENERAL_GUIDELINES = [
  'Read the code before you change it.',
  'Be concise. Refer to the files you worked on by their paths.',
];

export function buildSystemPrompt(options: SystemPromptOptions): string {
  const sections = [options.custom ?? `${INTRODUCTION}\n\n${formatTools(options.tools)}`];
  if (options.toolSection) sections.push(options.toolSection);
  if (options.append) sections.push(options.append);
  if (options.contextFiles.length > 0) sections.push(formatContextFiles(options.contextFiles));
  if (options.skills) sections.push(options.skills);
  sections.push(`Current date: ${options.date}\nCurrent working directory: ${options.cwd}`);
  return sections.join('\n\n');
}

function formatTools(tools: readonly Tool[]): string {
  const listed = tools.filter(({ snippet }) => snippet !== '');
  const list = listed.map((tool) => `- ${tool.name}: ${getToolSnippet(tool)}`);
  const guidelines = [...new Set([...tools.flatMap((tool) => tool.guidelines ?? []), ...GENERAL_GUIDELINES])];
  return [
    `Available tools:\n${list.length > 0 ? list.join('\n') : '(none)'}`,
    `Guidelines:\n${guidelines.map((line) => `- ${line}`).join('\n')}`,
  ].join('\n\n');
}

function formatContextFiles(files: readonly ContextFile[]): string {
  return ['# Project Context', ...files.map((file) => `## ${file.path}\n\n${file.content.trim()}`)].join('\n\n');
}

/** The one-line description of a tool: its snippet, or the first sentence of its documentation. */
export function getToolSnippet({ snippet, doc }: Tool): string {
  return snippet ?? doc.split(/(?<=\.)\s/, 1)[0] ?? doc;
}
