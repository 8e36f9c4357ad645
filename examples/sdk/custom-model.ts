// A custom model. It repeats the last user message in capital letters.
import { createAgentSession, createCustomModel, extractText } from 'parley-agent';

const models = createCustomModel({
  id: 'megaphone',
  async *answer({ messages }) {
    yield { thinking: 'Repeat it in capital letters.' };
    const userMessage = messages.findLast((message) => message.role === 'user');
    for (const word of extractText(userMessage?.content ?? '').split(' ')) yield `${word.toUpperCase()} `;
  },
});

const agent = await createAgentSession({ models, persist: false });
await agent.prompt('hello from the sdk');
process.stdout.write(`${agent.session.models.current?.id}: ${agent.session.history.lastAssistantText()}\n`);
await agent.close();
