// Runs git for the agent itself; all of its git calls go through this file. A repository may be hostile: none of its hooks,
// filters, drivers and helpers run, git cannot prompt the user, and the environment holds no API keys.
import { Fault } from '../../base/index.ts';
import type { Ports } from '../../contracts/index.ts';
import { isInside } from '../../support/path-checks.ts';
import { allowNetwork, buildSafeConfig, NAMED_SECTIONS_PATTERN } from './safe-config.ts';

export interface GitOptions {
  /** Additional variables, for example GIT_INDEX_FILE. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Overrides the configuration. Passed in the environment, so that no other user sees it. */
  readonly config?: Readonly<Record<string, string>> | undefined;
  /** Connects to other machines, with the credentials of the user. Only for a repository whose configuration no tool can change. */
  readonly usesNetwork?: boolean | undefined;
}

export interface GitOutcome {
  readonly code: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

export interface Git {
  /** Resolves for every exit code. Rejects when git cannot be started, times out or is aborted. */
  run(args: readonly string[], options?: GitOptions): Promise<GitOutcome>;
  /** Standard output without the last newline. Throws a Fault with git's error output when the exit code is not 0. */
  text(args: readonly string[], options?: GitOptions): Promise<string>;
}

type GitPorts = Pick<Ports, 'processes' | 'clock' | 'toolEnv'>;

const TIMEOUT_MS = 120_000;
/** Reported when a signal ended git. Not 1, which git uses for "no match". */
const KILLED_EXIT_CODE = 137;
/** Commands that show differences would start the diff drivers configured in attributes. */
const DIFF_COMMANDS = new Set(['diff', 'diff-files', 'diff-index', 'diff-tree', 'format-patch', 'log', 'show']);
/** Commands that read the working tree would start git in every submodule, which reads the submodule's own configuration. */
const WORKTREE_COMMANDS = new Set(['diff', 'diff-files', 'diff-index', 'status']);

export function createGit(ports: GitPorts, cwd: string): Git {
  async function run(args: readonly string[], options: GitOptions = {}): Promise<GitOutcome> {
    if (options.signal?.aborted) throw createAbortFault(args);
    const configArguments = ['config', '--show-scope', '-z', '--get-regexp', NAMED_SECTIONS_PATTERN];
    // Read before every call: another process may have changed the configuration.
    const configListing = await spawnGit(ports, cwd, configArguments, {
      ...options,
      env: buildConfigEnv(buildSafeConfig('')),
    });
    // 1 means that nothing matches. After any other failure it is unknown which programs the repository configures.
    if (configListing.code > 1) return configListing;
    const safeSettings = buildSafeConfig(Buffer.from(configListing.stdout).toString('latin1'));
    const settings = { ...(options.usesNetwork ? allowNetwork(safeSettings) : safeSettings), ...options.config };
    return spawnGit(ports, cwd, addSafetyFlags(args), {
      ...options,
      env: { ...buildConfigEnv(settings), ...options.env },
    });
  }
  return {
    run,
    async text(args, options) {
      const { code, stdout, stderr } = await run(args, options);
      if (code === 0) return new TextDecoder().decode(stdout).replace(/\n$/, '');
      throw new Fault('tool_failed', `git ${args[0]} failed: ${stderr.trim() || `exit code ${code}`}`);
    },
  };
}

function addSafetyFlags([command = '', ...rest]: readonly string[]): string[] {
  const flags = DIFF_COMMANDS.has(command) ? ['--no-ext-diff', '--no-textconv'] : [];
  const submoduleFlags = WORKTREE_COMMANDS.has(command) ? ['--ignore-submodules=all'] : [];
  return [command, ...flags, ...submoduleFlags, ...rest];
}

/** Uses variables, because `-c` cannot override a key that contains an equals sign. */
function buildConfigEnv(settings: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(settings);
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(entries.length)],
    ...entries.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ]);
}

/** PATH without directories of projects: a tool could have put a program there. npm adds `node_modules/.bin` of each parent directory. */
export function buildProgramPath({ PATH = '' }: Readonly<Record<string, string>>, cwd: string): string {
  const isOfProject = (entry: string) =>
    (cwd !== '/' && isInside(cwd, entry)) || entry.split('/').includes('node_modules');
  const entries = PATH.split(':').filter((entry) => entry.startsWith('/'));
  return entries.filter((entry) => entry !== cwd && !isOfProject(entry)).join(':');
}

/** The user's environment without variables that control git or let it prompt. */
function buildBaseEnv(toolEnv: Readonly<Record<string, string>>, cwd: string): Record<string, string> {
  const inherited = Object.entries(toolEnv).filter(([name]) => !/^(GIT_|SSH_ASKPASS)/.test(name));
  return {
    ...Object.fromEntries(inherited),
    PATH: buildProgramPath(toolEnv, cwd),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GIT_EDITOR: ':',
    GIT_PAGER: 'cat',
    GIT_ALLOW_PROTOCOL: 'file',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    LC_ALL: 'C',
  };
}

/** Git and ssh fail instead of asking for a password. */
function buildNetworkEnv(toolEnv: Readonly<Record<string, string>>): Record<string, string> {
  const programs = Object.entries(toolEnv).filter(([name]) => name === 'GIT_SSH' || name === 'GIT_SSH_COMMAND');
  return { ...Object.fromEntries(programs), GIT_ALLOW_PROTOCOL: 'file:https:ssh', SSH_ASKPASS_REQUIRE: 'force' };
}

async function spawnGit(
  ports: GitPorts,
  cwd: string,
  args: readonly string[],
  options: GitOptions,
): Promise<GitOutcome> {
  const out: Uint8Array[] = [];
  const err: Uint8Array[] = [];
  const child = await ports.processes.spawn({
    command: 'git',
    args: ['--no-pager', ...args],
    cwd,
    env: {
      ...buildBaseEnv(ports.toolEnv, cwd),
      ...(options.usesNetwork ? buildNetworkEnv(ports.toolEnv) : {}),
      ...options.env,
    },
    onOutput: (chunk, stream) => void (stream === 'stdout' ? out : err).push(chunk),
  });
  let isTimedOut = false;
  const cancelTimer = ports.clock.after(options.timeoutMs ?? TIMEOUT_MS, () => {
    isTimedOut = true;
    child.kill();
  });
  const onAbort = () => child.kill();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  // Aborted while git was being started.
  if (options.signal?.aborted) onAbort();
  try {
    const { code } = await child.finished;
    if (isTimedOut) throw new Fault('timeout', `git ${args[0]} timed out in ${cwd}`);
    if (options.signal?.aborted) throw createAbortFault(args);
    return { code: code ?? KILLED_EXIT_CODE, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') };
  } finally {
    cancelTimer();
    options.signal?.removeEventListener('abort', onAbort);
  }
}

function createAbortFault(args: readonly string[]): Fault {
  return new Fault('aborted', `git ${args[0]} was aborted`);
}
