// Validates frames against the published JSON Schemas of the dialects.
import { listFrameNames as listNames } from '../../scripts/pages/dialect-page.ts';
import { wireSchemas } from '../../scripts/pages/schemas.ts';
import { type SchemaDocument, validateDefinition } from './json-schema.ts';

const documents = wireSchemas(new Map());

/** `name` is a definition, such as `PromptCommand` or `AgentFrame`. */
export function findSchemaErrors(name: string, frame: unknown, dialect = 'omp'): string[] {
  return validateDefinition(documents.get(dialect) as SchemaDocument, name, frame);
}

/** The names of all frames of the host or of the agent. */
export function listFrameNames(dialect: string, root: 'HostFrame' | 'AgentFrame'): string[] {
  return [...listNames(documents.get(dialect) ?? {}, root)];
}
