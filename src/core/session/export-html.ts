// Writes the session as a web page. Loaded on demand.
import { Fault } from '../../base/index.ts';
import type { SessionEntry } from '../../protocol/index.ts';
import { renderSessionPage } from '../export/render-session-page.ts';
import type { HistoryPorts } from './history-ports.ts';
import { isOwnLog } from './own-log.ts';
import { claimPageFile, resolvePageFile } from './page-file.ts';
import type { SessionState } from './session-state.ts';

export async function exportHtml(
  state: SessionState,
  historyPorts: HistoryPorts,
  requestedPath: string | undefined,
  options: { branchOnly?: boolean },
): Promise<{ path: string }> {
  // Some hosts send an empty path instead of omitting it.
  const path = requestedPath || undefined;
  const { conversation, ports, options: sessionOptions } = state;
  await checkExportable(state);
  if (path !== undefined && (await isOwnLog(state, resolvePageFile(ports.files, sessionOptions.cwd, path).path))) {
    throw new Fault('refused', `Cannot export to ${path}: it is the file of this session`);
  }
  const page = await renderHtml(state, historyPorts, options);
  const { cwd, guard } = sessionOptions;
  const files = guard?.guardFiles(cwd, { isForHost: true }) ?? ports.files;
  const target =
    path === undefined
      ? await claimPageFile(files, sessionOptions.cwd, conversation.header.id)
      : resolvePageFile(files, sessionOptions.cwd, path);
  await target.write(page);
  return { path: target.path };
}

/** The session as one HTML page. */
export async function renderHtml(
  state: SessionState,
  historyPorts: HistoryPorts,
  options: { branchOnly?: boolean } = {},
): Promise<string> {
  const { conversation, ports, options: sessionOptions } = state;
  const entries = await checkExportable(state);
  const { header, leafId, file: sessionFile } = conversation;
  const session = {
    ...{ header, entries, leafId, name: historyPorts.getSessionName(), ...options },
    subagentFiles: { sessionFile, files: ports.files, read: (file: string) => sessionOptions.store.read(file) },
    prefix: await historyPorts.getPromptPrefix().catch(() => undefined),
    secrets: ports.listSecrets?.(),
  };
  return renderSessionPage(session, ports.renderMarkup);
}

async function checkExportable({ conversation }: SessionState): Promise<readonly SessionEntry[]> {
  const entries = await conversation.readAll();
  if (entries.some((entry) => entry.type === 'message')) return entries;
  throw new Fault('refused', 'Nothing to export yet - start a conversation first');
}
