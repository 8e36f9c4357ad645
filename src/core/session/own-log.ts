// Recognises the log of the open session, also through symbolic links.
import type { SessionState } from './session-state.ts';

export async function isOwnLog({ conversation, ports }: SessionState, path: string): Promise<boolean> {
  const { file } = conversation;
  return file !== undefined && (await ports.files.realPath(path)) === (await ports.files.realPath(file));
}
