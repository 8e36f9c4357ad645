// Starts the built program with a sandbox. Its home directory, workspace and temporary directory are outside /tmp, which is replaced inside.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { type Program, type ProgramOptions, startProgram } from '../support/program.ts';

/** An unprivileged user, for tests that root runs. */
const OTHER_USER = 65534;

export interface Machine {
  readonly base: string;
  readonly home: string;
  readonly cwd: string;
  /** The system's temporary directory. */
  readonly temporary: string;
  readonly env: Readonly<Record<string, string>>;
}

/** `files`: paths relative to the home directory, which contains `work`, the workspace. */
export function createMachine(files: Readonly<Record<string, string>> = {}): Machine {
  const base = mkdtempSync('/var/tmp/parley-machine-');
  chmodSync(base, 0o755);
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [home, temporary] = [join(base, 'home'), join(base, 'temporary')];
  const cwd = join(home, 'work');
  for (const directory of [temporary, cwd]) mkdirSync(directory, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const env = { HOME: home, PARLEY_DIR: join(home, '.parley'), TMPDIR: temporary };
  return { base, home, cwd, temporary, env };
}

/** `prefix`: a command that starts the program, such as `setpriv`. */
export function startSandboxed(
  { home, cwd, env }: Machine,
  args: readonly string[],
  { prefix = [], ...options }: Pick<ProgramOptions, 'env'> & { readonly prefix?: readonly string[] } = {},
): Program {
  const [runtime = '', program = '', ...rest] = [...prefix, process.execPath, inject('program'), ...args];
  return startProgram(rest, { runtime, program, directories: { home, cwd }, env: { ...env, ...options.env } });
}

/** A host of the program that runs commands. */
export function startHost(
  machine: Machine,
  args: readonly string[] = [],
  options: Parameters<typeof startSandboxed>[2] = {},
) {
  const program = startSandboxed(machine, ['--mode', 'rpc', '--sandbox', 'workspace-write', ...args], options);
  return {
    program,
    async run(command: string): Promise<{ exitCode: number; output: string }> {
      const reply = await program.call({ type: 'bash', command });
      if (!reply.success) throw new Error(String(reply.error));
      return reply.data as { exitCode: number; output: string };
    },
    /** Ends the program as hosts do. */
    async close() {
      program.stdin.end();
      return program.exited;
    },
  };
}

/** The private directories of sandboxed commands. */
export function listPrivateDirectories({ temporary }: Machine): string[] {
  return readdirSync(temporary).filter((name) => name.startsWith('parley-sandbox-'));
}

/** A command that starts a program as an unprivileged user. As is when the tests do not run as root. */
export function becomeUnprivileged({ base }: Machine): string[] {
  if (process.geteuid?.() !== 0) return [];
  execFileSync('chown', ['-R', `${OTHER_USER}:${OTHER_USER}`, base]);
  chownSync(base, OTHER_USER, OTHER_USER);
  // The bundle is in a private directory.
  for (
    let directory = dirname(inject('program'));
    directory.includes('parley-program-');
    directory = dirname(directory)
  )
    chmodSync(directory, 0o755);
  return ['setpriv', `--reuid=${OTHER_USER}`, `--regid=${OTHER_USER}`, '--clear-groups'];
}
