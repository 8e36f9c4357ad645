// Creates the sandboxes of a session from its settings. Loaded with the first command that runs in one.
import type { Ports, ProcessSandbox, SessionGuard } from '../../contracts/index.ts';
import { createSandbox, removeUnusedPlaceholders } from '../../sandbox/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { resolveSettingPaths } from '../../support/home-directory.ts';
import { addCopiedPaths, findCopiedDirectory } from '../../support/paths/copied-directory.ts';
import { markedDirectories } from '../system-ports/marked-directories.ts';
import { makePrivateDirectory, removePrivateDirectory } from '../system-ports/private-directory.ts';
import { createProcessIdentity } from '../system-ports/process-identity.ts';
import { openFilterProxy } from '../system-ports/sandbox-ports.ts';
import { listProgramPaths } from './program-paths.ts';

export interface SessionSandboxOptions {
  readonly ports: Ports;
  /** Read for each command: a project that is trusted later can restrict more. */
  readonly settings: SettingValues;
  /** The working directory of the session. Isolated subagents work in copies of it. */
  readonly cwd: string;
  readonly home: string;
  readonly agentDirectory: string;
}

export interface SessionSandbox extends Pick<SessionGuard, 'getSandbox'> {
  /** Removes the temporary directory of the sandboxed commands. */
  close(): Promise<void>;
}

export function createSessionSandbox(options: SessionSandboxOptions): SessionSandbox {
  const { settings } = options;
  const sandboxes = new Map<string, ProcessSandbox>();
  let temporary: Promise<string> | undefined;
  const temporaryDirectory = () => {
    temporary ??= makePrivateDirectory(createProcessIdentity());
    return temporary;
  };
  return {
    async getSandbox(cwd) {
      const chosen = pickSettings(settings);
      if (chosen.mode === 'off') return undefined;
      const key = JSON.stringify([cwd, chosen]);
      const sandbox = sandboxes.get(key) ?? openSandbox(options, cwd, temporaryDirectory);
      sandboxes.set(key, sandbox);
      return sandbox;
    },
    async close() {
      await removeUnusedPlaceholders();
      if (temporary) await removePrivateDirectory(await temporary);
    },
  };
}

function pickSettings(settings: SettingValues) {
  return {
    mode: settings.sandbox,
    network: settings['sandbox.network'],
    allowedHosts: settings['sandbox.allowedHosts'],
    writableRoots: settings['sandbox.writableRoots'],
    deniedReads: settings['sandbox.deniedReads'],
  };
}

function openSandbox(
  { ports, settings, home, agentDirectory, cwd: originalCwd }: SessionSandboxOptions,
  cwd: string,
  temporaryDirectory: () => Promise<string>,
): ProcessSandbox {
  const copied = findCopiedDirectory(originalCwd, cwd);
  const { mode, allowedHosts, writableRoots, deniedReads, ...rest } = pickSettings(settings);
  return createSandbox({
    ...rest,
    mode: mode === 'read-only' ? 'read-only' : 'workspace-write',
    ...{ cwd, home, agentDirectory, ports, temporaryDirectory },
    writableRoots: resolveSettingPaths(writableRoots, home),
    deniedReads: addCopiedPaths(resolveSettingPaths(deniedReads, home), copied ? [copied] : []),
    processIdentity: createProcessIdentity(),
    markedDirectories,
    programPaths: listProgramPaths(),
    openNetwork: () => openNetwork(ports, allowedHosts),
  });
}

async function openNetwork({ log, platform }: Ports, allowedHosts: readonly string[]) {
  const { openAllowListNetwork } = await import('../../sandbox/network/allow-list-network.ts');
  const listenOn = platform === 'darwin' ? 'port' : 'socket';
  return openAllowListNetwork({ allowedHosts, openFilterProxy, log, listenOn });
}
