// Creates the path policies of a session from its settings, and the files that obey them. Loaded with the first file operation of a tool.
import { Fault } from '../../base/index.ts';
import type { Files, GuardFilesOptions, PathPolicy, Ports } from '../../contracts/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { resolveSettingPaths } from '../../support/home-directory.ts';
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

/** Returns the files for the current settings. */
export type SelectFiles = () => Promise<Files>;

/** What is shared by all files of a session: the warnings that were given, and the links that were resolved. */
export class SessionFiles {
  readonly #options: SessionFilesOptions;
  readonly #warned = new Set<string>();
  readonly #realPaths = new Map<string, Promise<string>>();

  constructor(options: SessionFilesOptions) {
    this.#options = options;
  }

  guard(cwd: string, guardOptions: GuardFilesOptions): SelectFiles {
    let current: { readonly key: string; readonly files: Promise<Files> } | undefined;
    return () => {
      const key = createKey(this.#options.settings);
      if (current?.key !== key) current = { key, files: this.#open(cwd, guardOptions) };
      return current.files;
    };
  }

  async #open(cwd: string, guardOptions: GuardFilesOptions): Promise<Files> {
    const { settings, home, ports } = this.#options;
    const policySettings = this.#pickSettings();
    const rules = settings['permissions.deny'];
    if (rules.length === 0 && isUnrestricted(policySettings)) return ports.files;
    const policy = createPathPolicy({
      ...policySettings,
      ...{ cwd, home, listReadRoots: guardOptions.listReadRoots },
      canWrite: policySettings.canWrite || guardOptions.isForHost === true,
      files: { realPath: (path) => this.#resolveOnce(path), list: ports.files.list },
      onWarning: (message) => this.#warnOnce(message),
    });
    if (rules.length === 0) return createGuardedFiles(ports.files, policy);
    const realCwd = await this.#resolveOnce(cwd);
    return createGuardedFiles(ports.files, await addDenyRules(policy, rules, { cwd, realCwd, home }));
  }

  #pickSettings() {
    const { settings, home, agentDirectory } = this.#options;
    const mode = getPathMode(settings);
    const hasSandbox = settings.sandbox !== 'off';
    const secrets = hasSandbox || mode === 'enforce' ? listSecretPaths(home, agentDirectory) : [];
    const resolvePaths = (key: 'sandbox.writableRoots' | 'sandbox.deniedReads' | 'paths.readRoots') =>
      resolveSettingPaths(settings[key], home);
    return {
      mode,
      writableRoots: resolvePaths('sandbox.writableRoots'),
      readRoots: resolvePaths('paths.readRoots'),
      deniedReads: [...secrets, ...resolvePaths('sandbox.deniedReads')],
      hasProtectedPaths: hasSandbox,
      canWrite: settings.sandbox !== 'read-only',
    };
  }

  #resolveOnce(path: string): Promise<string> {
    const resolving = this.#realPaths.get(path) ?? this.#options.ports.files.realPath(path);
    this.#realPaths.set(path, resolving);
    return resolving;
  }

  #warnOnce(message: string): void {
    if (!this.#warned.has(message)) this.#options.onWarning(message);
    this.#warned.add(message);
  }
}

/** The default depends on the sandbox: a command in it cannot leave the working directory either. */
export function getPathMode(settings: SettingValues): PathPolicy['mode'] {
  return settings.paths ?? (settings.sandbox === 'off' ? 'warn' : 'enforce');
}

function createKey(settings: SettingValues): string {
  const { paths, sandbox } = settings;
  const lists = ['paths.readRoots', 'sandbox.writableRoots', 'sandbox.deniedReads', 'permissions.deny'] as const;
  return JSON.stringify([paths, sandbox, ...lists.map((name) => settings[name])]);
}

interface PolicySettings {
  readonly mode: PathPolicy['mode'];
  readonly deniedReads: readonly string[];
  readonly hasProtectedPaths: boolean;
}

function isUnrestricted({ mode, deniedReads, hasProtectedPaths }: PolicySettings): boolean {
  return mode === 'off' && deniedReads.length === 0 && !hasProtectedPaths;
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
