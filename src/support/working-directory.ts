// Resolves the working directory of an agent.
import { resolve } from 'node:path';
import { Fault } from '../base/index.ts';
import type { Files } from '../contracts/index.ts';

/** Joins the paths like `resolve`. Throws a Fault when the result is not a directory, or the error of the system when it cannot be reached. */
export async function resolveWorkingDirectory(
  files: Pick<Files, 'info'>,
  ...paths: readonly string[]
): Promise<string> {
  const path = resolve(...paths);
  if ((await files.info(path))?.kind === 'directory') return path;
  throw new Fault('config', `Working directory does not exist: ${path}`);
}
