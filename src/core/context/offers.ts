// First floor, core: tools as a model is offered them. Apart, because what turns schemas into JSON Schema is loaded late.
import { toJsonSchema } from '@valibot/to-json-schema';
import type { Tool, ToolOffer } from '../../contracts/index.ts';

export function offerOf({ name, doc, params, parameters }: Tool): ToolOffer {
  if (parameters) return { name, description: doc, parameters };
  const { $schema: _, ...schema } = toJsonSchema(params, { errorMode: 'ignore' });
  return { name, description: doc, parameters: schema };
}
