// A bare repository that only Parley uses: it connects to remotes. The repository of a workspace is never used for that, because
// tools can change its configuration, which can name programs and other addresses.
import { Fault } from '../../../base/index.ts';
import type { Ports } from '../../../contracts/index.ts';
import { createGit, type Git, type GitOptions } from '../../../core/git/git.ts';
import { hideCredentials } from './repository-url.ts';

export interface ControlRepositoryOptions {
  readonly ports: Ports;
  readonly path: string;
  /** From where commits are fetched. */
  readonly repository: string;
  /** Where snapshots are saved. */
  readonly remote: string;
}

export type RemoteName = 'repository' | 'snapshots';

/** The first transfer of a large repository. */
const TRANSFER_MS = 1_800_000;
const MAX_MESSAGE = 500;

export class ControlRepository {
  readonly path: string;
  readonly #options: ControlRepositoryOptions;
  readonly #git: Git;
  #creating: Promise<void> | undefined;
  #fetching: Promise<unknown> = Promise.resolve();

  constructor(options: ControlRepositoryOptions) {
    this.#options = options;
    this.path = options.path;
    this.#git = createGit(options.ports, options.path);
  }

  /** `objectsOf`: a repository on this machine whose objects are used instead of copying them. */
  async prepare(objectsOf?: string): Promise<void> {
    this.#creating ??= this.#create().catch((thrown: unknown) => {
      this.#creating = undefined;
      throw thrown;
    });
    await this.#creating;
    if (objectsOf === undefined) return;
    const { files } = this.#options.ports;
    const list = `${this.path}/objects/info/alternates`;
    await files.makeDirectory(`${this.path}/objects/info`, { mode: 0o700 });
    await files.replace(list, Buffer.from(`${objectsOf}\n`), { mode: 0o600 });
  }

  async #create(): Promise<void> {
    const { files } = this.#options.ports;
    await files.makeDirectory(this.path, { mode: 0o700 });
    if (await files.info(`${this.path}/HEAD`)) return;
    // No template: it could contain hooks.
    await this.text(['init', '-q', '--bare', '--template=']);
  }

  run(args: readonly string[], options: GitOptions = {}) {
    const { repository, remote } = this.#options;
    const config = { 'remote.repository.url': repository, 'remote.snapshots.url': remote };
    return this.#git.run(args, { ...options, config, env: { GIT_DIR: this.path, ...options.env } });
  }

  async text(args: readonly string[], options?: GitOptions): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code === 0) return new TextDecoder().decode(stdout).trimEnd();
    throw createGitFault(args[0] ?? '', stderr || `exit code ${code}`);
  }

  async hasCommit(commit: string): Promise<boolean> {
    return (await this.run(['cat-file', '-e', `${commit}^{commit}`])).code === 0;
  }

  /** One at a time: git locks the refs that it writes. */
  fetch(remote: RemoteName, refspecs: readonly string[]): Promise<void> {
    const args = ['fetch', '-q', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', remote, ...refspecs];
    const fetched = this.#fetching
      .catch(() => {})
      .then(() => this.text(args, { usesNetwork: true, timeoutMs: TRANSFER_MS }));
    this.#fetching = fetched;
    return fetched.then(() => {});
  }

  /** `objects` is the object directory of a workspace with commits that this repository does not have. */
  async push(refspecs: readonly string[], objects?: string): Promise<void> {
    const env: Record<string, string> = {};
    // Quoted, because a path may contain the separator of the list.
    if (objects !== undefined) env.GIT_ALTERNATE_OBJECT_DIRECTORIES = JSON.stringify(objects);
    const args = ['push', '-q', '--no-verify', '--no-recurse-submodules', 'snapshots', ...refspecs];
    await this.text(args, { usesNetwork: true, timeoutMs: TRANSFER_MS, env });
  }

  /** The refs of the remote that match the pattern. */
  async listRemoteRefs(pattern: string): Promise<string[]> {
    const listed = await this.text(['ls-remote', '-q', '--refs', 'snapshots', pattern], { usesNetwork: true });
    return listed.split('\n').flatMap((line) => line.split('\t')[1] ?? []);
  }
}

/** Messages of git may name URLs. */
export function createGitFault(command: string, message: string): Fault {
  const lines = hideCredentials(message).split('\n');
  const shown = lines.flatMap((line) => line.trim() || []).join(' ');
  return new Fault('tool_failed', `git ${command} failed: ${shown.slice(0, MAX_MESSAGE)}`);
}
