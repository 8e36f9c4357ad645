// Lists the files of a project with ripgrep, without those that .gitignore excludes.
import type { Ports } from '../../contracts/index.ts';
import { buildSearchArguments, runRipgrep } from '../../tools/ripgrep.ts';

export async function listProjectFiles(
  ports: Ports,
  cwd: string,
  onFile: (path: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  await runRipgrep({
    ports,
    signal,
    cwd,
    // The order does not matter here, and sorting would use one thread only.
    args: ['--files', ...buildSearchArguments(cwd), '--sort=none', '--', './'],
    onLine: (line) => onFile(line.replace(/^\.\//, '')),
  });
}
