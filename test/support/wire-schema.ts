// Validates frames against the published JSON Schemas of the dialects.
import { wordsIn } from '../../scripts/pages/dialect-page.ts';
import { wireSchemas } from '../../scripts/pages/schemas.ts';
import { complaints, type SchemaDocument } from './json-schema.ts';

const documents = wireSchemas(new Map());

/** `name` is a definition, such as `PromptCommand` or `AgentFrame`. */
export function complaintsAbout(name: string, frame: unknown, dialect = 'omp'): string[] {
  return complaints(documents.get(dialect) as SchemaDocument, name, frame);
}

/** The names of all frames of the host or of the agent. */
export function wordsOf(dialect: string, root: 'HostFrame' | 'AgentFrame'): string[] {
  return [...wordsIn(documents.get(dialect) ?? {}, root)];
}
