// Commands for tools and URIs of the host, and for the event filter.
import { array, nullable, object, string, unknown } from 'valibot';
import { type AgentSession, command, type Tool } from '../contracts/index.ts';
import { hostUriScheme } from '../protocol/index.ts';

/** Several clients may use one session. Tools of a client that has left are removed, unless another one has replaced them. */
const newestTools = new WeakMap<AgentSession, readonly Tool[]>();

export const setHostTools = command({
  name: 'set_host_tools',
  stability: 'experimental',
  doc: 'Register tools that the host executes, replacing the ones set before. Each has a name, a description and its parameters as JSON Schema. A call is sent to the host as host_tool_call and answered with host_tool_result.',
  lane: 'ordered',
  params: object({ tools: array(unknown()) }),
  result: object({ toolNames: array(string()) }),
  examples: [
    { tools: [{ name: 'open_tab', description: 'Opens a file in the editor', parameters: { type: 'object' } }] },
  ],
  async run({ tools }, { session, host }) {
    const { createHostTools } = await import('./host-tools.ts');
    const hostTools = createHostTools(tools, host);
    await session.tools.setHostTools(hostTools);
    newestTools.set(session, hostTools);
    host.onDisconnected?.(() => {
      if (newestTools.get(session) === hostTools) void session.tools.setHostTools([]);
    });
    return { toolNames: hostTools.map((tool) => tool.name) };
  },
});

export const setHostUriSchemes = command({
  name: 'set_host_uri_schemes',
  stability: 'experimental',
  doc: 'Register URI schemes that the host resolves, replacing the ones set before. The read tool sends a `host_uri_request` for a URI such as `db://users/1`, and so does the write tool when the scheme is `writable`. The host answers with `host_uri_result`.',
  lane: 'ordered',
  params: object({
    schemes: array(hostUriScheme),
  }),
  result: object({ schemes: array(string()) }),
  examples: [{ schemes: [{ scheme: 'db', description: 'Rows of the database', writable: true }] }],
  async run({ schemes }, { session, host }) {
    const { createHostUris } = await import('./host-uris.ts');
    const { names, hostUris } = createHostUris(schemes, host);
    session.tools.hostUris = hostUris;
    host.onDisconnected?.(() => {
      if (session.tools.hostUris === hostUris) session.tools.hostUris = undefined;
    });
    return { schemes: names };
  },
});

export const setEventFilter = command({
  name: 'set_event_filter',
  stability: 'experimental',
  doc: 'Send only these events from now on; null removes the filter. Some events are sent only when they are listed here: queue_update, bash_execution_update. Responses, UI requests, `prompt_result`, `session_settled` and the events of set_subagent_subscription are always sent.',
  lane: 'ordered',
  access: 'read',
  params: object({ events: nullable(array(string())) }),
  result: object({ events: nullable(array(string())) }),
  examples: [{ events: ['message_end', 'agent_end'] }],
  async run({ events }, { host }) {
    host.setEventFilter(events);
    return { events };
  },
});
