// The path policy and the sandbox of a session. Their code is loaded when it is first needed.
import type { SessionGuard } from '../../contracts/index.ts';
import type { SessionSandbox, SessionSandboxOptions } from './session-sandbox.ts';

export interface AgentGuard extends SessionGuard {
  close(): Promise<void>;
}

export function createSessionGuard(options: SessionSandboxOptions): AgentGuard {
  const { ports, settings } = options;
  let sandbox: Promise<SessionSandbox> | undefined;
  return {
    guardFiles: () => ports.files,
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
