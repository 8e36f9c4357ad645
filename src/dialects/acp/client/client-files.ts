// Reads and writes text files through the client, so that unsaved changes in the editor count.
import type { ReadTextFileRequest, WriteTextFileRequest } from '@agentclientprotocol/sdk';
import { Fault, isRecord } from '../../../base/index.ts';
import type { AgentSession, HostFiles } from '../../../contracts/index.ts';
import type { ClientCapabilities } from '../client-capabilities.ts';
import type { ClientRequests, SendFrame } from './client-requests.ts';

/** `undefined` when the client offers neither. */
export function createClientFiles(
  requests: ClientRequests,
  session: Pick<AgentSession, 'id'>,
  send: SendFrame,
  { readTextFile, writeTextFile }: ClientCapabilities,
): HostFiles | undefined {
  if (!readTextFile && !writeTextFile) return undefined;
  const readText: HostFiles['readText'] = async (path, signal) => {
    const params: ReadTextFileRequest = { sessionId: session.id, path };
    const result = await requests.send(send, 'fs/read_text_file', params, { signal });
    if (isRecord(result) && typeof result.content === 'string') return result.content;
    throw new Fault('tool_failed', `The client returned no content for ${path}`);
  };
  const writeText: HostFiles['writeText'] = async (path, content, signal) => {
    const params: WriteTextFileRequest = { sessionId: session.id, path, content };
    await requests.send(send, 'fs/write_text_file', params, { signal });
  };
  return { ...(readTextFile ? { readText } : {}), ...(writeTextFile ? { writeText } : {}) };
}
