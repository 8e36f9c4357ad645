// Creates the path policies of a session from its settings, and the files that obey them. Loaded with the first file operation of a tool.
import type { Files, GuardFilesOptions, Ports } from '../../contracts/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { createGuardedFiles } from '../../support/paths/guarded-files.ts';
import { createPathPolicy } from '../../support/paths/path-policy.ts';
import { listSecretPaths } from '../../support/protected-paths.ts';

export interface SessionFilesOptions {
  readonly ports: Ports;
  /** Read at each operation: a project that is trusted later can restrict more. */
  readonly settings: SettingValues;
  readonly home: string;
  readonly agentDirectory: string;
  onWarning(message: string): void;
}

/** The default depends on the sandbox: a command in it cannot leave the working directory either. */
export function getPathMode(settings: SettingValues) {
  return settings.paths ?? (settings.sandbox === 'off' ? 'warn' : 'enforce');
}

/** Returns a function that returns the files for the current settings. */
export function createSessionFiles(
  options: SessionFilesOptions,
  cwd: string,
  guardOptions: GuardFilesOptions,
): () => Files {
  let current: { readonly key: string; readonly files: Files } | undefined;
  return () => {
    const { settings } = options;
    const { 'paths.readRoots': readRoots, 'sandbox.writableRoots': writableRoots } = settings;
    const chosen = [getPathMode(settings), settings.sandbox, readRoots, writableRoots, settings['sandbox.deniedReads']];
    const key = JSON.stringify(chosen);
    if (current?.key !== key) current = { key, files: openFiles(options, cwd, guardOptions) };
    return current.files;
  };
}

function openFiles(
  { ports, settings, home, agentDirectory, onWarning }: SessionFilesOptions,
  cwd: string,
  { listReadRoots, isForHost = false }: GuardFilesOptions,
): Files {
  const mode = getPathMode(settings);
  const hasSandbox = settings.sandbox !== 'off';
  const secrets = hasSandbox || mode === 'enforce' ? listSecretPaths(home, agentDirectory) : [];
  const policy = createPathPolicy({
    ...{ mode, cwd, home, listReadRoots, onWarning },
    files: ports.files,
    writableRoots: settings['sandbox.writableRoots'],
    readRoots: settings['paths.readRoots'],
    deniedReads: [...secrets, ...settings['sandbox.deniedReads']],
    hasProtectedPaths: hasSandbox && !isForHost,
    canWrite: settings.sandbox !== 'read-only' || isForHost,
  });
  return createGuardedFiles(ports.files, policy);
}
