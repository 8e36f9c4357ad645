// A custom provider without a server: it repeats the last message. Use `baseUrl` and `api` instead of `streamSimple` for a
// provider over the network.
import { createAssistantMessageEventStream } from '@mariozechner/pi-ai';
import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';

export default function customProvider(pi: ExtensionAPI) {
  pi.registerProvider('echo', {
    models: [{ id: 'parrot', name: 'Parrot', contextWindow: 8_000, maxTokens: 1_000 }],
    streamSimple(_model, context) {
      const stream = createAssistantMessageEventStream();
      const content = context.messages.at(-1)?.content ?? '';
      const lastText = typeof content === 'string' ? content : content.map((block) => block.text ?? '').join('');
      const text = { type: 'text', text: '' };
      const partial = { role: 'assistant', content: [text] };
      stream.push({ type: 'start', partial });
      stream.push({ type: 'text_start', contentIndex: 0, partial });
      text.text = `Echo: ${lastText}`;
      stream.push({ type: 'text_delta', contentIndex: 0, delta: text.text, partial });
      stream.push({ type: 'text_end', contentIndex: 0, content: text.text, partial });
      stream.push({ type: 'done', reason: 'stop', message: { ...partial, stopReason: 'stop' } });
      return stream;
    },
  });
}
