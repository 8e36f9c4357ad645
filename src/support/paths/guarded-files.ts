// Files that obey a path policy. Every operation is checked on what the path leads to at that time.
import type { Files, PathPolicy } from '../../contracts/index.ts';
import { forwardFiles } from '../forward-files.ts';

/**
 * With the mode `enforce` nothing is learned about files outside the allowed directories, not even whether they exist: `info` and
 * `realPath` throw the same refusal for a missing file.
 */
export function createGuardedFiles(files: Files, policy: PathPolicy): Files {
  const checked = files.withAccessCheck((realPath, access) => policy.check(realPath, access), {
    shouldSplitHardLinks: policy.mode === 'enforce',
  });
  return forwardFiles(async () => {
    await policy.prepare();
    return checked;
  }, files);
}
