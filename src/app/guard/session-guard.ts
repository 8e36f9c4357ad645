// The path policy and the sandbox of a session. Their code is loaded when it is first needed.
import type { SessionGuard } from '../../contracts/index.ts';
import { forwardFiles } from '../../support/forward-files.ts';
import type { SelectFiles, SessionFiles, SessionFilesOptions } from './session-files.ts';
import type { SessionSandbox } from './session-sandbox.ts';

export interface AgentGuard extends SessionGuard {
  close(): Promise<void>;
}

export function createSessionGuard(options: SessionFilesOptions): AgentGuard {
  const { ports, settings } = options;
  let sessionFiles: Promise<SessionFiles> | undefined;
  let sandbox: Promise<SessionSandbox> | undefined;
  return {
    guardFiles(cwd, guardOptions = {}) {
      let select: SelectFiles | undefined;
      return forwardFiles(async () => {
        sessionFiles ??= import('./session-files.ts').then(({ SessionFiles }) => new SessionFiles(options));
        select ??= (await sessionFiles).guard(cwd, guardOptions);
        return select();
      }, ports.files);
    },
    get isEnforcing() {
      const { paths, sandbox } = settings;
      return (
        paths === 'enforce' ||
        sandbox !== 'off' ||
        [settings['sandbox.deniedReads'], settings['permissions.deny']].some(({ length }) => length > 0)
      );
    },
    async getSandbox(cwd) {
      if (settings.sandbox === 'off') return undefined;
      sandbox ??= import('./session-sandbox.ts').then(({ createSessionSandbox }) => createSessionSandbox(options));
      return (await sandbox).getSandbox(cwd);
    },
    async close() {
      await (await sandbox)?.close();
    },
  };
}
