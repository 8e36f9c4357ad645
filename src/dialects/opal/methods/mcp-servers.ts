// Decodes the MCP servers that a host sends with session/start.
import {
  array,
  fallback,
  object,
  optional,
  picklist,
  pipe,
  record,
  regex,
  safeParse,
  string,
  transform,
  union,
} from 'valibot';
import type { McpServerDefinition } from '../../../contracts/index.ts';
import { nonEmptyString } from '../method.ts';

const texts = fallback(optional(record(string(), string()), {}), {});

const stdioServer = pipe(
  object({
    name: nonEmptyString,
    command: nonEmptyString,
    args: optional(array(string()), []),
    env: texts,
    cwd: optional(string()),
  }),
  transform(({ name, ...server }) => ({ name, server: { type: 'stdio' as const, ...server } })),
);

const httpServer = pipe(
  object({
    name: nonEmptyString,
    url: pipe(string(), regex(/^https?:/)),
    headers: texts,
    type: optional(picklist(['http', 'sse']), 'http'),
  }),
  transform(({ name, ...server }) => ({ name, server })),
);

const mcpServer = union([stdioServer, httpServer]);

/** Values of other forms are left out, because older hosts send servers that were never started. Of equal names the first counts. */
export function decodeMcpServers(values: readonly unknown[]): McpServerDefinition[] {
  const found = new Map<string, McpServerDefinition>();
  for (const value of values) {
    const { success, output } = safeParse(mcpServer, value);
    if (success && !found.has(output.name)) found.set(output.name, { ...output, source: 'the host' });
  }
  return [...found.values()];
}
