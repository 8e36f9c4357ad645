// Command that reports the MCP servers of a session.
import { array, number, object, optional, picklist, string } from 'valibot';
import { command } from '../contracts/index.ts';

export const getMcpServers = command({
  name: 'get_mcp_servers',
  stability: 'experimental',
  doc: 'The MCP servers of this session and their state. Starts them, if no prompt has done so, and does not wait for them.',
  lane: 'now',
  access: 'read',
  long: true,
  params: object({}),
  result: object({
    servers: array(
      object({
        name: string(),
        state: picklist(['connecting', 'connected', 'waiting', 'failed', 'sign_in_required']),
        toolCount: number(),
        /** Why it is not connected. */
        problem: optional(string()),
      }),
    ),
  }),
  run: async (_, { session }) => ({ servers: [...(await session.listMcpServers())] }),
});
