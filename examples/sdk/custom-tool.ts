// A custom tool. The model is scripted, so that the example runs without a key. Without `models`, the configured model decides
// when to call the tool.
import { createAgentSession, createCustomModel, extractText, tool } from 'parley-agent';
import { object, string } from 'valibot';

const temperature = tool({
  name: 'temperature',
  doc: 'The temperature in a city, in degrees Celsius.',
  effect: 'read',
  params: object({ city: string() }),
  run: async ({ city }) => ({ content: [{ type: 'text', text: `${city}: ${city.length} °C` }] }),
});

const models = createCustomModel({
  id: 'forecaster',
  *answer({ messages }) {
    const last = messages.at(-1);
    if (last?.role === 'toolResult') yield `It says "${extractText(last.content)}".`;
    else yield { call: 'temperature', arguments: { city: 'Helsinki' } };
  },
});

const agent = await createAgentSession({ models, tools: [temperature], toolNames: ['temperature'], persist: false });
const messages = await agent.prompt('How warm is it in Helsinki?');
process.stdout.write(`${messages.map(({ role }) => role).join(' → ')}\n${agent.session.history.lastAssistantText()}\n`);
await agent.close();
