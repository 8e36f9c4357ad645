// First floor, core: the one way in which the agent itself calls git. A repository may be hostile: none of its hooks,
// filters, drivers and helpers run, nobody is asked for anything, and no key is in the environment.
import { Fault } from '../../base/index.ts';
import type { Ports } from '../../contracts/index.ts';
import { NAMED_SECTIONS, quietSettings } from './quiet-config.ts';

export interface GitOptions {
  /** Variables beside the usual ones, for example GIT_INDEX_FILE. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface GitOutcome {
  readonly code: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

export interface Git {
  /** Resolves also when git says no; rejects when it cannot be started, takes too long or is aborted. */
  run(args: readonly string[], options?: GitOptions): Promise<GitOutcome>;
  /** What it prints, without the last newline. Throws a Fault with git's own words when it says no. */
  text(args: readonly string[], options?: GitOptions): Promise<string>;
}

type GitPorts = Pick<Ports, 'processes' | 'clock' | 'toolEnv'>;

const PATIENCE_MS = 120_000;
/** The exit code of a git that a signal ended. Not 1, which git uses for "no". */
const KILLED = 137;
/** Those that show differences would start the drivers that attributes name. */
const SHOWS_DIFFERENCES = new Set(['diff', 'diff-files', 'diff-index', 'diff-tree', 'format-patch', 'log', 'show']);
/** Those that look at files would start a git in every submodule, which reads the submodule's own configuration. */
const LOOKS_AT_FILES = new Set(['diff', 'diff-files', 'diff-index', 'status']);

export function createGit(ports: GitPorts, cwd: string): Git {
  async function run(args: readonly string[], options: GitOptions = {}): Promise<GitOutcome> {
    if (options.signal?.aborted) throw aborted(args);
    const look = ['config', '--show-scope', '-z', '--get-regexp', NAMED_SECTIONS];
    // Asked each time: what works in the repository meanwhile may have changed it.
    const looked = await start(ports, cwd, look, { ...options, env: settingsEnv(quietSettings('')) });
    // 1 means that nothing matches. After any other failure it is unknown which programs the repository names.
    if (looked.code > 1) return looked;
    const settings = quietSettings(Buffer.from(looked.stdout).toString('latin1'));
    return start(ports, cwd, withoutDrivers(args), { ...options, env: { ...settingsEnv(settings), ...options.env } });
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

function withoutDrivers([command = '', ...rest]: readonly string[]): string[] {
  const flags = SHOWS_DIFFERENCES.has(command) ? ['--no-ext-diff', '--no-textconv'] : [];
  const alone = LOOKS_AT_FILES.has(command) ? ['--ignore-submodules=all'] : [];
  return [command, ...flags, ...alone, ...rest];
}

/** In variables, because a name with an equals sign in it could not be overruled with `-c`. */
function settingsEnv(settings: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(settings);
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(entries.length)],
    ...entries.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ]);
}

/** The user's environment without anything that steers git or would let it ask. */
function baseEnv(toolEnv: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(toolEnv).filter(([name]) => !/^(GIT_|SSH_ASKPASS)/.test(name));
  const path = (toolEnv.PATH ?? '').split(':').filter((entry) => entry.startsWith('/'));
  return {
    ...Object.fromEntries(kept),
    // Entries that are relative would be looked up in the repository.
    PATH: path.join(':'),
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

async function start(ports: GitPorts, cwd: string, args: readonly string[], options: GitOptions): Promise<GitOutcome> {
  const out: Uint8Array[] = [];
  const err: Uint8Array[] = [];
  const child = await ports.processes.spawn({
    command: 'git',
    args: ['--no-pager', ...args],
    cwd,
    env: { ...baseEnv(ports.toolEnv), ...options.env },
    onOutput: (chunk, stream) => void (stream === 'stdout' ? out : err).push(chunk),
  });
  let late = false;
  const cancel = ports.clock.after(options.timeoutMs ?? PATIENCE_MS, () => {
    late = true;
    child.kill();
  });
  const onAbort = () => child.kill();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const { code } = await child.finished;
    if (late) throw new Fault('timeout', `git ${args[0]} took too long in ${cwd}`);
    if (options.signal?.aborted) throw aborted(args);
    return { code: code ?? KILLED, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') };
  } finally {
    cancel();
    options.signal?.removeEventListener('abort', onAbort);
  }
}

function aborted(args: readonly string[]): Fault {
  return new Fault('aborted', `git ${args[0]} was aborted`);
}
