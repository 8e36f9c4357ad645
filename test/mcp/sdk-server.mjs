// A stdio MCP server of the SDK. `modern` refuses older protocol versions.
// @ts-check
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

serveStdio(
  () => {
    const server = new McpServer({ name: 'sdk', version: '1' });
    server.registerTool('version', { description: 'Version' }, (context) => ({
      content: [{ type: 'text', text: JSON.stringify(context.mcpReq.envelope ?? {}) }],
    }));
    return server;
  },
  process.argv[2] === 'modern' ? { legacy: 'reject' } : {},
);
