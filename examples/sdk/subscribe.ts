// Runs the agent in process and prints its text and tool calls. Without an API key the offline model answers.
import { createAgentSession } from 'parley-agent';

const agent = await createAgentSession({ cwd: process.cwd(), persist: false });
const stop = agent.subscribe((event) => {
  if (event.type === 'message_update' && event.assistantMessageEvent.type === 'text_delta') {
    process.stdout.write(event.assistantMessageEvent.delta);
  }
  if (event.type === 'tool_execution_start') process.stdout.write(`\n[${event.toolName}]\n`);
});
await agent.prompt('What files are here?');
stop();
await agent.close();
