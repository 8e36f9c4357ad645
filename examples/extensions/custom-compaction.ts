// Compacts without a model: the summary is the list of the user's messages.
import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';

export default function customCompaction(pi: ExtensionAPI) {
  pi.on('session_before_compact', ({ preparation }) => {
    const userMessages = preparation.messagesToSummarize.filter((message) => message.role === 'user');
    const lines = userMessages.map((message) => {
      const { content } = message;
      return `- ${typeof content === 'string' ? content : content.map((block) => block.text ?? '').join(' ')}`;
    });
    const { firstKeptEntryId, tokensBefore } = preparation;
    return { compaction: { summary: `The user asked:\n${lines.join('\n')}`, firstKeptEntryId, tokensBefore } };
  });
}
