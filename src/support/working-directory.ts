// Resolves the working directory of an agent.
import { resolve } from 'node:path';
import { Fault, getSystemErrorCode } from '../base/index.ts';
import type { Files } from '../contracts/index.ts';

/** Joins the paths like `resolve`. Throws a Fault when the result is not a directory, or cannot be reached. */
export async function resolveWorkingDirectory(
  files: Pick<Files, 'info'>,
  ...paths: readonly string[]
): Promise<string> {
  const path = resolve(...paths);
  const info = await files.info(path).catch((cause: unknown) => {
    const reason = getSystemErrorCode(cause) ?? 'unknown reason';
    throw new Fault('config', `Working directory cannot be reached: ${JSON.stringify(path)} (${reason})`, { cause });
  });
  if (info?.kind === 'directory') return path;
  throw new Fault('config', `Working directory does not exist: ${path}`);
}
