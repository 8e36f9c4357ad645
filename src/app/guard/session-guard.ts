// The path policy and the sandbox of a session. Their code is loaded when it is first needed.
import type { Files, SessionGuard } from '../../contracts/index.ts';
import { forwardFiles } from '../../support/forward-files.ts';
import type { SessionFilesOptions } from './session-files.ts';
import type { SessionSandbox } from './session-sandbox.ts';

export interface AgentGuard extends SessionGuard {
  close(): Promise<void>;
}

export function createSessionGuard(options: SessionFilesOptions): AgentGuard {
  const { ports, settings } = options;
  /** The same object for each directory, because changes of a file are queued per object. */
  const filesByDirectory = new Map<string, Files>();
  let sandbox: Promise<SessionSandbox> | undefined;
  return {
    guardFiles(cwd, guardOptions = {}) {
      const key = JSON.stringify([cwd, guardOptions.isForHost]);
      const existing = filesByDirectory.get(key);
      if (existing) return existing;
      let select: Promise<() => Files> | undefined;
      const files = forwardFiles(async () => {
        select ??= import('./session-files.ts').then(({ createSessionFiles }) =>
          createSessionFiles(options, cwd, guardOptions),
        );
        return (await select)();
      }, ports.files);
      filesByDirectory.set(key, files);
      return files;
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
