// First floor, core: the words that stand before every conversation. Pure, and the same bytes from turn to turn.
import type { Tool } from '../../contracts/index.ts';
import type { ContextFile } from './context-files.ts';

export interface PromptParts {
  /** Replaces the introduction; tools, notes, date and directory still follow. */
  custom: string | undefined;
  append: string | undefined;
  tools: readonly Tool[];
  contextFiles: readonly ContextFile[];
  /** What the model is told of its skills. */
  skills?: string | undefined;
  /** YYYY-MM-DD */
  date: string;
  cwd: string;
}

const INTRODUCTION = `You are Parley, a coding agent inside a host program. You help by reading files, running commands, and editing and writing code in the user's project.`;

const GENERAL_GUIDELINES = [
  'Look before you change: read the code that you are about to touch.',
  'Be concise. Name the files you worked on by their paths.',
];

export function systemPrompt(parts: PromptParts): string {
  const sections = [parts.custom ?? `${INTRODUCTION}\n\n${toolSection(parts.tools)}`];
  if (parts.append) sections.push(parts.append);
  if (parts.contextFiles.length > 0) sections.push(notes(parts.contextFiles));
  if (parts.skills) sections.push(parts.skills);
  sections.push(`Current date: ${parts.date}\nCurrent working directory: ${parts.cwd}`);
  return sections.join('\n\n');
}

function toolSection(tools: readonly Tool[]): string {
  const list = tools.map((tool) => `- ${tool.name}: ${snippetOf(tool)}`);
  const guidelines = [...new Set([...tools.flatMap((tool) => tool.guidelines ?? []), ...GENERAL_GUIDELINES])];
  return [
    `Available tools:\n${list.length > 0 ? list.join('\n') : '(none)'}`,
    `Guidelines:\n${guidelines.map((line) => `- ${line}`).join('\n')}`,
  ].join('\n\n');
}

function notes(files: readonly ContextFile[]): string {
  return ['# Project Context', ...files.map((file) => `## ${file.path}\n\n${file.content.trim()}`)].join('\n\n');
}

/** What is said of a tool in one line. */
export function snippetOf({ snippet, doc }: Tool): string {
  return snippet ?? doc.split(/(?<=\.)\s/, 1)[0] ?? doc;
}
