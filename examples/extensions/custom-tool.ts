// A custom tool that counts words. Its arguments are described with TypeBox and validated before it runs.
import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
import { type Static, Type } from '@sinclair/typebox';

const parameters = Type.Object({
  text: Type.String({ description: 'The text to count' }),
  unique: Type.Optional(Type.Boolean({ description: 'Count each word once' })),
});

export default function customTool(pi: ExtensionAPI) {
  pi.registerTool({
    name: 'count_words',
    label: 'Count words',
    description: 'Count the words of a text.',
    parameters,
    async execute(_toolCallId, params: Static<typeof parameters>) {
      const words = params.text.split(/\s+/).filter(Boolean);
      const count = params.unique ? new Set(words).size : words.length;
      return { content: [{ type: 'text', text: String(count) }], details: { words } };
    },
  });
}
