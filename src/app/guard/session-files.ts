// Creates the path policies of a session from its settings, and files that obey them.
import type { Files, GuardFilesOptions, PathPolicy, SessionGuard } from '../../contracts/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { forwardFiles } from '../../support/forward-files.ts';
import { createGuardedFiles } from '../../support/paths/guarded-files.ts';
import { createPathPolicy } from '../../support/paths/path-policy.ts';
import { listSecretPaths } from '../../support/protected-paths.ts';

export interface SessionFilesOptions {
  readonly files: Files;
  /** Read for each operation: a project that is trusted later can restrict more. */
  readonly settings: SettingValues;
  readonly home: string;
  readonly agentDirectory: string;
  /** A file outside the working directory is used. Called once for each directory. */
  onWarning(message: string): void;
}

export function createSessionFiles(options: SessionFilesOptions): Pick<SessionGuard, 'guardFiles' | 'isEnforcing'> {
  const { files, settings } = options;
  const reported = new Set<string>();
  const onWarning = (message: string) => {
    if (!reported.has(message)) options.onWarning(message);
    reported.add(message);
  };
  const realPaths = new Map<string, Promise<string>>();
  const resolveOnce = (path: string) => {
    const resolving = realPaths.get(path) ?? files.realPath(path);
    realPaths.set(path, resolving);
    return resolving;
  };
  return {
    get isEnforcing() {
      return choosePathMode(settings) === 'enforce' || listDeniedReads(options).length > 0;
    },
    guardFiles(cwd, guardOptions = {}) {
      let guarded: { key: string; files: Files } | undefined;
      return forwardFiles(async () => {
        const key = JSON.stringify(pickSettings(settings));
        if (guarded?.key === key) return guarded.files;
        const base = { ...options, files: { realPath: resolveOnce }, onWarning };
        const policy = createSessionPolicy(base, cwd, guardOptions);
        guarded = { key, files: isUnrestricted(policy, options) ? files : createGuardedFiles(files, policy) };
        return guarded.files;
      }, files);
    },
  };
}

/** Without the setting: `enforce` in a sandbox, otherwise `warn`. */
export function choosePathMode(settings: SettingValues): PathPolicy['mode'] {
  return settings.paths ?? (settings.sandbox === 'off' ? 'warn' : 'enforce');
}

function isUnrestricted(policy: PathPolicy, options: SessionFilesOptions): boolean {
  return policy.mode === 'off' && options.settings.sandbox === 'off' && listDeniedReads(options).length === 0;
}

function createSessionPolicy(
  options: Omit<SessionFilesOptions, 'files'> & { files: Pick<Files, 'realPath'> },
  cwd: string,
  { listReadRoots, isForHost = false }: GuardFilesOptions,
): PathPolicy {
  const { settings, home, files, onWarning } = options;
  return createPathPolicy({
    ...{ files, cwd, home, listReadRoots, onWarning },
    mode: choosePathMode(settings),
    writableRoots: settings['sandbox.writableRoots'],
    readRoots: settings['paths.readRoots'],
    deniedReads: listDeniedReads(options),
    hasProtectedPaths: settings.sandbox !== 'off',
    canWrite: isForHost || settings.sandbox !== 'read-only',
  });
}

/** Known secrets are denied in a sandbox and with `enforce`; what the user has listed always. */
function listDeniedReads({
  settings,
  home,
  agentDirectory,
}: Pick<SessionFilesOptions, 'settings' | 'home' | 'agentDirectory'>): string[] {
  const hasSecrets = settings.sandbox !== 'off' || choosePathMode(settings) === 'enforce';
  return [...settings['sandbox.deniedReads'], ...(hasSecrets ? listSecretPaths(home, agentDirectory) : [])];
}

function pickSettings(settings: SettingValues) {
  const { sandbox, paths } = settings;
  const lists = ['sandbox.writableRoots', 'sandbox.deniedReads', 'paths.readRoots'] as const;
  return { sandbox, paths, lists: lists.map((key) => settings[key]) };
}
