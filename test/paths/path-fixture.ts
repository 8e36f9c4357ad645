// A workspace with links of many kinds, and a directory outside with a canary, on the real file system.
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCheckedFiles } from '../../src/app/system-ports/checked-files.ts';
import { createFiles } from '../../src/app/system-ports/files.ts';
import { type PinFile, pinByComparison, pinByDescriptor } from '../../src/app/system-ports/pin-file.ts';
import type { Files } from '../../src/contracts/ports.ts';
import { createGuardedFiles } from '../../src/support/paths/guarded-files.ts';
import { createPathPolicy, type PathPolicyOptions } from '../../src/support/paths/path-policy.ts';

export const CANARY = 'canary: this text must not leave its file';

export interface PathFixture {
  readonly base: string;
  readonly workspace: string;
  readonly outside: string;
  /** The file outside with the canary. */
  readonly canary: string;
  guard(options?: Partial<PathPolicyOptions>): Files;
  /** Everything below `outside`, to compare before and after. */
  snapshotOutside(): string;
  remove(): void;
}

/** How a path is checked: on Linux, and on systems without /proc. */
export const PIN_FILES: Readonly<Record<string, PinFile>> = {
  'by descriptor': pinByDescriptor,
  'by comparison': pinByComparison,
};

export function createPathFixture(pinFile: PinFile = pinByDescriptor): PathFixture {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'parley-paths-')));
  const [workspace, outside] = [join(base, 'workspace'), join(base, 'outside')];
  mkdirSync(join(workspace, 'sub'), { recursive: true });
  mkdirSync(join(outside, 'directory'), { recursive: true });
  const canary = join(outside, 'canary.txt');
  writeFileSync(canary, CANARY);
  writeFileSync(join(outside, 'directory', 'inner.txt'), CANARY);
  writeFileSync(join(workspace, 'a.txt'), 'inside');
  symlinkSync(canary, join(workspace, 'leaf-link'));
  symlinkSync('../outside/canary.txt', join(workspace, 'relative-link'));
  symlinkSync(outside, join(workspace, 'directory-link'));
  symlinkSync(join(outside, 'new.txt'), join(workspace, 'dangling-link'));
  symlinkSync('leaf-link', join(workspace, 'link-to-link'));
  symlinkSync('/', join(workspace, 'root-link'));
  symlinkSync('..', join(workspace, 'parent-link'));
  symlinkSync('/proc/self/cwd', join(workspace, 'proc-link'));
  linkSync(canary, join(workspace, 'hard-link'));
  execFileSync('mkfifo', [join(outside, 'fifo'), join(workspace, 'fifo')]);
  const files: Files = {
    ...createFiles(),
    withAccessCheck: (check, options) => createCheckedFiles(check, options, pinFile),
  };
  return {
    ...{ base, workspace, outside, canary },
    guard: (options = {}) =>
      createGuardedFiles(
        files,
        createPathPolicy({
          ...{
            mode: 'enforce',
            files,
            cwd: workspace,
            home: join(base, 'home'),
            canWrite: true,
            hasProtectedPaths: false,
          },
          ...{ writableRoots: [], readRoots: [], deniedReads: [], onWarning: () => {} },
          ...options,
        }),
      ),
    snapshotOutside: () => listFacts(outside).join('\n'),
    remove: () => rmSync(base, { recursive: true }),
  };
}

function listFacts(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    const { ino, size, mtimeMs, mode, nlink } = lstatSync(path);
    const isFile = lstatSync(path).isFile();
    const facts = `${path} ${ino} ${size} ${mtimeMs} ${mode} ${nlink} ${isFile ? readFileSync(path, 'utf8') : ''}`;
    return lstatSync(path).isDirectory() ? [facts, ...listFacts(path)] : [facts];
  });
}
