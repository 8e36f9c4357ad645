// Creates the path policies of a session from its settings, and the files that obey them. Loaded with the first file operation of a tool.
import { Fault } from '../../base/index.ts';
import type { Files, GuardFilesOptions, PathPolicy, Ports } from '../../contracts/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { resolveSettingPaths } from '../../support/home-directory.ts';
import {
  addCopiedPaths,
  type CopiedDirectory,
  findCopiedDirectory,
  toOriginalPath,
} from '../../support/paths/copied-directory.ts';
import { createGuardedFiles } from '../../support/paths/guarded-files.ts';
import { createPathPolicy } from '../../support/paths/path-policy.ts';
import { listSecretPaths } from '../../support/protected-paths.ts';

export interface SessionFilesOptions {
  readonly ports: Ports;
  /** Read at each operation: a project that is trusted later can restrict more. */
  readonly settings: SettingValues;
  /** The working directory of the session. Isolated subagents work in copies of it. */
  readonly cwd: string;
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
    const copied = await this.#findCopied(cwd);
    const policySettings = this.#pickSettings(copied);
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
    const scope = { directories: [cwd, realCwd], home, originalCwd: this.#options.cwd, copied };
    return createGuardedFiles(ports.files, await addDenyRules(policy, rules, scope));
  }

  /** With and without links. Empty unless `cwd` is a copy of the working directory of the session. */
  async #findCopied(cwd: string): Promise<readonly CopiedDirectory[]> {
    const original = this.#options.cwd;
    if (cwd === original) return [];
    const [realOriginal, realCwd] = await Promise.all([this.#resolveOnce(original), this.#resolveOnce(cwd)]);
    const pairs = [original, realOriginal].map((directory) => findCopiedDirectory(directory, realCwd));
    return pairs.filter((pair) => pair !== undefined);
  }

  #pickSettings(copied: readonly CopiedDirectory[]) {
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
      deniedReads: addCopiedPaths([...secrets, ...resolvePaths('sandbox.deniedReads')], copied),
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

interface RuleScope {
  /** The working directory, with and without links. */
  readonly directories: readonly string[];
  readonly home: string;
  readonly originalCwd: string;
  readonly copied: readonly CopiedDirectory[];
}

/** They hold in every mode of the path policy. A file in a copy is also compared by the path that it has in the original. */
async function addDenyRules(
  policy: PathPolicy,
  rules: readonly string[],
  { directories, home, originalCwd, copied }: RuleScope,
): Promise<PathPolicy> {
  const { createDeniedPaths } = await import('../../permissions/index.ts');
  const bases = [...new Set([...directories, originalCwd])].map((cwd) => ({ cwd, home }));
  const findRule = createDeniedPaths(rules, bases);
  return {
    ...policy,
    check(realPath, access) {
      const paths = [realPath, ...copied.map((directory) => toOriginalPath(realPath, directory))];
      const rule = paths.map((path) => path !== undefined && findRule(path, access)).find(Boolean);
      if (rule) throw new Fault('refused', `The permission rule ${rule} denies ${JSON.stringify(realPath)}.`);
      policy.check(realPath, access);
    },
  };
}
