// Command that reports what fills the context window.
import { array, number, object, string } from 'valibot';
import { command } from '../contracts/index.ts';

export const getContextBreakdown = command({
  name: 'get_context_breakdown',
  stability: 'experimental',
  doc: 'What fills the context window, in tokens: system prompt, context files, tools and messages. The parts are estimates; their sum is the count of the provider if it has reported one.',
  lane: 'now',
  access: 'read',
  long: true,
  params: object({}),
  result: object({
    contextWindow: number(),
    tokens: number(),
    systemPrompt: object({ tokens: number() }),
    contextFiles: array(object({ path: string(), tokens: number() })),
    tools: array(object({ name: string(), tokens: number() })),
    messages: object({ count: number(), tokens: number() }),
  }),
  run: async (_, { session }) => session.context.describe(),
});
