// Schema of a slash command in the format of omp.
import { type InferOutput, object, optional, picklist, string } from 'valibot';

export const slashCommandEntry = object({
  name: string(),
  description: optional(string()),
  /** omp calls prompt templates `file`. */
  source: picklist(['extension', 'file', 'skill']),
});

export type SlashCommandEntry = InferOutput<typeof slashCommandEntry>;

const SOURCES = { extension: 'extension', prompt: 'file', skill: 'skill' } as const;

interface ListedCommand {
  readonly name: string;
  readonly description?: string | undefined;
  readonly source: keyof typeof SOURCES;
}

export function toSlashCommandEntry({ name, description, source }: ListedCommand): SlashCommandEntry {
  return { name, ...(description === undefined ? {} : { description }), source: SOURCES[source] };
}
