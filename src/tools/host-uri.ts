// Reads and writes URIs of the host. Loaded when the host has registered the scheme of a path.
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
  const { content, notes } = await hostUris.read(uri, signal);
  const result = await readText(content);
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
