// Creates the path policies of a session from its settings, and the files that obey them. Loaded with the first file operation of a tool.
import { Fault } from '../../base/index.ts';
import type { Files, GuardFilesOptions, PathPolicy, Ports } from '../../contracts/index.ts';
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
): () => Promise<Files> {
  let current: { readonly key: string; readonly files: Promise<Files> } | undefined;
  return () => {
    const { settings } = options;
    const { 'paths.readRoots': readRoots, 'sandbox.writableRoots': writableRoots } = settings;
    const denied = [settings['sandbox.deniedReads'], settings['permissions.deny']];
    const key = JSON.stringify([getPathMode(settings), settings.sandbox, readRoots, writableRoots, denied]);
    if (current?.key !== key) current = { key, files: openFiles(options, cwd, guardOptions) };
    return current.files;
  };
}

async function openFiles(
  { ports, settings, home, agentDirectory, onWarning }: SessionFilesOptions,
  cwd: string,
  { listReadRoots, isForHost = false }: GuardFilesOptions,
): Promise<Files> {
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
  const rules = settings['permissions.deny'];
  const bases = { cwd, home, realCwd: await ports.files.realPath(cwd) };
  return createGuardedFiles(ports.files, rules.length > 0 ? await addDenyRules(policy, rules, bases) : policy);
}

/** They hold in every mode of the path policy. */
async function addDenyRules(
  policy: PathPolicy,
  rules: readonly string[],
  { cwd, realCwd, home }: { cwd: string; realCwd: string; home: string },
): Promise<PathPolicy> {
  const { createDeniedPaths } = await import('../../permissions/index.ts');
  const bases = [...new Set([cwd, realCwd])].map((directory) => ({ cwd: directory, home }));
  const findRule = createDeniedPaths(rules, bases);
  return {
    ...policy,
    check(realPath, access) {
      const rule = findRule(realPath, access);
      if (rule) throw new Fault('refused', `The permission rule ${rule} denies ${JSON.stringify(realPath)}.`);
      policy.check(realPath, access);
    },
  };
}
