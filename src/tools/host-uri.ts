// Reads and writes URIs of the host and of MCP servers. Loaded when the scheme of a path is registered.
import { Fault } from '../base/index.ts';
import type { HostUris, ToolResult } from '../contracts/index.ts';
import { appendNotices, createTextResult } from './result.ts';

/** `readText` reads the content like that of a file. */
export async function readHostUri(
  hostUris: HostUris,
  uri: string,
  signal: AbortSignal,
  readText: (text: string) => Promise<ToolResult>,
): Promise<ToolResult> {
  const { content, notes, images = [] } = await hostUris.read(uri, signal);
  if (content === '' && images.length > 0) return { content: [...images] };
  const read = await readText(content);
  const result = { ...read, content: [...read.content, ...images] };
  if (notes.length === 0) return result;
  const [first, ...rest] = result.content;
  if (first?.type !== 'text') return result;
  return { ...result, content: [{ ...first, text: appendNotices(first.text, notes) }, ...rest] };
}

export async function writeHostUri(
  hostUris: HostUris,
  uri: string,
  content: string,
  signal: AbortSignal,
): Promise<ToolResult> {
  const found = hostUris.findScheme(uri);
  if (!found?.writable) throw new Fault('tool_failed', `Cannot write ${uri}: ${found?.scheme}:// is read-only`);
  await hostUris.write(uri, content, signal);
  return createTextResult(`Successfully wrote ${Buffer.byteLength(content)} bytes to ${uri}`);
}
