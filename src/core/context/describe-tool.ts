// Builds the tool definition that a model receives. A separate file, because the JSON Schema converter is loaded lazily.
import { toJsonSchema } from '@valibot/to-json-schema';
import type { Tool, ToolDefinition } from '../../contracts/index.ts';

export function describeTool({ name, doc, params, jsonSchema }: Tool): ToolDefinition {
  if (jsonSchema) return { name, description: doc, parameters: jsonSchema };
  const { $schema: _, ...schema } = toJsonSchema(params, { errorMode: 'ignore' });
  return { name, description: doc, parameters: schema };
}
