// Summarises old history without a model: the user's own words, in order.
import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';

export default function customCompaction(pi: ExtensionAPI) {
  pi.on('session_before_compact', ({ preparation }) => {
    const asked = preparation.messagesToSummarize.filter((message) => message.role === 'user');
    const lines = asked.map((message) => {
      const { content } = message;
      return `- ${typeof content === 'string' ? content : content.map((block) => block.text ?? '').join(' ')}`;
    });
    const { firstKeptEntryId, tokensBefore } = preparation;
    return { compaction: { summary: `The user asked:\n${lines.join('\n')}`, firstKeptEntryId, tokensBefore } };
  });
}
