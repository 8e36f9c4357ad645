// Commands for tools and URIs of the host, and for the event filter.
import { array, nullable, object, string, unknown } from 'valibot';
import { type AgentSession, command, type HostConnection } from '../contracts/index.ts';
import { hostUriScheme } from '../protocol/index.ts';

interface Provided {
  readonly host: HostConnection;
  readonly names: readonly string[];
}

/** Several clients may use one session: the last one that sets tools or schemes provides them, until it leaves. */
const providedTools = new WeakMap<AgentSession, Provided>();
const providedSchemes = new WeakMap<AgentSession, Provided>();

/** Without the notice, another client would not learn that its tools are not called any more. */
function provide(providers: typeof providedTools, session: AgentSession, next: Provided, kind: string): void {
  const previous = providers.get(session);
  providers.set(session, next);
  if (!previous || previous.host === next.host || previous.names.length === 0) return;
  const message = `The host ${kind} of another client are replaced: ${previous.names.join(', ')}.`;
  session.notify({ level: 'warning', message, source: 'host' });
}

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
    const provided = { host, names: hostTools.map(({ name }) => name) };
    provide(providedTools, session, provided, 'tools');
    host.onDisconnected?.(() => {
      if (providedTools.get(session) !== provided) return;
      providedTools.delete(session);
      void session.tools.setHostTools([]);
    });
    return { toolNames: provided.names };
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
    const provided = { host, names };
    session.tools.hostUris = hostUris;
    provide(providedSchemes, session, provided, 'URI schemes');
    host.onDisconnected?.(() => {
      if (providedSchemes.get(session) !== provided) return;
      providedSchemes.delete(session);
      session.tools.hostUris = undefined;
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
