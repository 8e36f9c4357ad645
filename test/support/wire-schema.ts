// The schemas that we publish for the dialects, made from the declarations, and what it says about a frame.
import { wordsIn } from '../../scripts/pages/dialect-page.ts';
import { wireSchemas } from '../../scripts/pages/schemas.ts';
import { complaints, type SchemaDocument } from './json-schema.ts';

const documents = wireSchemas(new Map());

/** `name` is a definition, such as `PromptCommand` or `AgentFrame`. */
export function complaintsAbout(name: string, frame: unknown, dialect = 'omp'): string[] {
  return complaints(documents.get(dialect) as SchemaDocument, name, frame);
}

/** The types of the frames that a host may send, or gets. */
export function wordsOf(dialect: string, root: 'HostFrame' | 'AgentFrame'): string[] {
  return [...wordsIn(documents.get(dialect) ?? {}, root)];
}
