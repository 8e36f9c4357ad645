// The schema that we publish for the omp dialect, made from the declarations, and what it says about a frame.
import { ompSchema, wireDefinitions } from '../../scripts/pages/schemas.ts';
import { complaints, type SchemaDocument } from './json-schema.ts';

const document = ompSchema(wireDefinitions(new Map())) as SchemaDocument;

/** `name` is a definition, such as `PromptCommand` or `AgentFrame`. */
export function complaintsAbout(name: string, frame: unknown): string[] {
  return complaints(document, name, frame);
}
