// A git repository of a user, and an empty bare repository as its remote.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTemporaryDirectory } from './temporary-directory.ts';

export interface RepositoryWithRemote {
  readonly source: string;
  readonly remote: string;
  /** The only commit. */
  readonly base: string;
  git(args: readonly string[], cwd?: string): string;
  /** The names of the refs of the remote. */
  listRemoteRefs(): string[];
  /** Everything that must not change: refs, files, index and configuration of the repository of the user. */
  describeSource(): unknown;
}

export function createRepositoryWithRemote(files: Readonly<Record<string, string>>): RepositoryWithRemote {
  const directory = realpathSync(createTemporaryDirectory());
  // Other accounts may not pass.
  chmodSync(directory, 0o700);
  const source = join(directory, 'app');
  const remote = join(directory, 'remote.git');
  const git = (args: readonly string[], cwd = source) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: '1', GIT_OPTIONAL_LOCKS: '0' },
      encoding: 'utf8',
    }).trim();
  mkdirSync(source);
  git(['init', '-q', '-b', 'main']);
  git(['init', '-q', '--bare', remote]);
  git(['remote', 'add', 'origin', remote]);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    writeFileSync(join(source, path), text);
  }
  git(['add', '-A']);
  git(['commit', '-q', '-m', 'first']);
  const read = (name: string) => readFileSync(join(source, '.git', name), 'latin1');
  return {
    ...{ source, remote, git },
    base: git(['rev-parse', 'HEAD']),
    listRemoteRefs: () => git(['for-each-ref', '--format=%(refname)'], remote).split('\n').filter(Boolean),
    describeSource: () => ({
      files: ['HEAD', 'config', 'index'].map(read),
      refs: git(['for-each-ref']),
      status: git(['status', '--porcelain']),
    }),
  };
}
