// The workspaces of the sessions of a server, if the user has named a remote for them.
import { Fault } from '../../../base/index.ts';
import type { MultiSessionHub } from '../../../server/multi-session-hub.ts';
import type { Workspaces } from '../../fleet/workspaces/workspaces.ts';
import type { StartContext } from '../start-agent.ts';
import type { SessionOpener } from './session-opener.ts';

interface ServerParts {
  readonly hub: MultiSessionHub;
  readonly opener: SessionOpener;
}

export interface ServerWorkspaces {
  readonly workspaces: Workspaces | undefined;
  /** Called when the sessions can be opened. */
  connect(parts: ServerParts): void;
  close(): void;
}

const RESTORED = 'The files of the session are available again. Connect again to open it.';

export async function createServerWorkspaces(startContext: StartContext): Promise<ServerWorkspaces> {
  const { storage, ports, settings, agentDirectory, cwd } = startContext;
  if (settings['workspace.remote'] === undefined) return { workspaces: undefined, connect: () => {}, close: () => {} };
  if (!storage) throw new Fault('config', 'workspace.remote needs a database. Set store, or PARLEY_DATABASE_URL.');
  const { createWorkspaces } = await import('../../fleet/workspaces/create-workspaces.ts');
  let parts: ServerParts | undefined;
  const workspaces = createWorkspaces({
    ...{ storage, ports, settings, agentDirectory, cwd },
    isOpen: (id) => parts?.hub.find(id) !== undefined,
    reopen: (session) => void parts?.opener.closeForReopening(session, RESTORED),
  });
  return {
    workspaces,
    connect(connected) {
      parts = connected;
    },
    close: () => workspaces.close(),
  };
}
