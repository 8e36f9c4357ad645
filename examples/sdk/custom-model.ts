// A model of your own: whatever makes text can be one. This one reads aloud what it was asked, in capital letters.
import { createAgentSession, ownModel, textOf } from 'parley-agent';

const models = ownModel({
  id: 'megaphone',
  async *answer({ messages }) {
    yield { thinking: 'They want it loud.' };
    const asked = messages.findLast((message) => message.role === 'user');
    for (const word of textOf(asked?.content ?? '').split(' ')) yield `${word.toUpperCase()} `;
  },
});

const agent = await createAgentSession({ models, persist: false });
await agent.prompt('hello from the sdk');
process.stdout.write(`${agent.session.models.current?.id}: ${agent.session.history.lastAssistantText()}\n`);
await agent.close();
