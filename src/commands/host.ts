// First floor, commands: what a host brings along: tools of its own, and what it wants to hear.
import { array, nullable, object, string, unknown } from 'valibot';
import { command } from '../contracts/index.ts';

export const setHostTools = command({
  name: 'set_host_tools',
  stability: 'experimental',
  doc: 'Offer the model tools that live in the host, in the place of those set before. Each has a name, a description and its parameters as JSON Schema. A call comes as host_tool_call and is answered with host_tool_result.',
  lane: 'ordered',
  params: object({ tools: array(unknown()) }),
  result: object({ toolNames: array(string()) }),
  examples: [
    { tools: [{ name: 'open_tab', description: 'Opens a file in the editor', parameters: { type: 'object' } }] },
  ],
  async run({ tools }, { session, host }) {
    const { hostTools } = await import('./host-tools.ts');
    const lent = hostTools(tools, host);
    await session.tools.lend(lent);
    return { toolNames: lent.map((tool) => tool.name) };
  },
});

export const setEventFilter = command({
  name: 'set_event_filter',
  stability: 'experimental',
  doc: 'Be told only of these events from here on; of all of them with null. Some that are told only to whoever names them: queue_update, bash_execution_update. Responses and questions always come, and so does what set_subagent_subscription asks for.',
  lane: 'ordered',
  params: object({ events: nullable(array(string())) }),
  result: object({ events: nullable(array(string())) }),
  examples: [{ events: ['message_end', 'agent_end'] }],
  async run({ events }, { host }) {
    host.listenTo(events);
    return { events };
  },
});
