// An MCP server for the benchmarks: as many tools as the second argument says, with schemas of an ordinary size.
// @ts-check
import { createInterface } from 'node:readline';

const [name = 'server', count = '20'] = process.argv.slice(2);
const tools = Array.from({ length: Number(count) }, (_, index) => ({
  name: `${name}_tool_${index}`,
  description: `Searches the ${name} index number ${index} for records that match a query, and returns the best matches with their fields.`,
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words that the records must contain' },
      limit: { type: 'integer', description: 'The largest number of results', minimum: 1, maximum: 100, default: 10 },
      order: { type: 'string', enum: ['relevance', 'newest', 'oldest'], description: 'Order of the results' },
    },
    required: ['query'],
  },
}));

/** @type {Record<string, (params: { protocolVersion?: string }) => object>} */
const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name, version: '1' },
  }),
  'tools/list': () => ({ tools }),
  ping: () => ({}),
};

createInterface(process.stdin).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const result = METHODS[method]?.(params);
  const error = { code: -32601, message: 'Method not found' };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) })}\n`);
});
