// The stored sessions of all working directories, for hosts.
import { resolve } from 'node:path';
import { Fault } from '../../base/index.ts';
import type { AgentSession, MovedSession, SessionGuard, SessionIndex, StoredSessions } from '../../contracts/index.ts';
import { createSessionIndex } from '../../store/session-index.ts';
import { resolveWorkingDirectory } from '../../support/working-directory.ts';
import type { AgentOptions } from '../agent-options.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';

/** The session that the calls come from. */
interface CallingSession {
  readonly session: AgentSession;
  readonly guard: Pick<SessionGuard, 'guardFiles' | 'isEnforcing'>;
}

export function createStoredSessions(options: AgentOptions, caller?: CallingSession): StoredSessions {
  const { ports, agentDirectory, cwd } = options;
  const sessionDirectory = options.findsAllSessions ? undefined : options.sessionDirectory;
  const index =
    options.storage?.index ??
    createSessionIndex({ ports, agentDirectory, sessionDirectory, identity: createProcessIdentity() });
  return {
    async search(query) {
      // No directory has such a name, and the system refuses it.
      if (query.cwd?.includes('\0')) throw new Fault('invalid_params', 'cwd must not contain the character U+0000');
      return index.search({ ...query, cwd: query.cwd === undefined ? undefined : resolve(cwd, query.cwd) });
    },
    locate: (reference) => index.locate(reference),
    async move(reference, requestedCwd) {
      const target = await resolveWorkingDirectory(ports.files, caller?.session.cwd ?? cwd, requestedCwd);
      if (caller) await checkDirectory(caller, target);
      const session = reference ?? caller?.session.id;
      if (session === undefined) throw new Fault('invalid_params', 'sessionId is required without a session');
      return options.moveSession ? options.moveSession(session, target) : moveStored(index, session, target, caller);
    },
  };
}

/** Throws a Fault when the path policy of the session does not allow the directory. */
async function checkDirectory({ session, guard }: CallingSession, directory: string): Promise<void> {
  if (guard.isEnforcing) await guard.guardFiles(session.cwd, { isForHost: true }).list(directory);
}

/** For a process with one session, whose tools and settings belong to the directory of its start. */
async function moveStored(
  index: SessionIndex,
  reference: string,
  cwd: string,
  caller: CallingSession | undefined,
): Promise<MovedSession> {
  if (reference === caller?.session.id || reference === caller?.session.file) throw createOpenFault();
  const { id, path } = await index.locate(reference);
  if (id === caller?.session.id) throw createOpenFault();
  return { sessionId: id, path: await index.move(path, cwd), cwd, reopened: false };
}

function createOpenFault(): Fault {
  const remedy = 'Start another session first, with new_session, and then move this one by its id.';
  return new Fault('refused', `The open session cannot be moved: this process works in one directory. ${remedy}`);
}
