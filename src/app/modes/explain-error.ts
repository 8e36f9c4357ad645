// Explains an exception that ends the program and is not a Fault, with a remedy. Loaded on demand.
import { sep } from 'node:path';
import { describeSystemError, getFailedPath, isCwdMissing } from '../../base/system-error.ts';
import { resolveAgentDirectory } from '../../settings/index.ts';
import { homeDirectory } from '../../support/home-directory.ts';

interface ErrorExplanation {
  readonly message: string;
  /** The user can fix it by starting the program in another way. */
  readonly isUsage: boolean;
}

export function explainError(thrown: unknown, env: Readonly<Record<string, string | undefined>>): ErrorExplanation {
  const sentence = describeSystemError(thrown);
  if (isCwdMissing(thrown)) return { message: sentence, isUsage: true };
  const directory = findAgentDirectory(env);
  const path = getFailedPath(thrown);
  const isInAgentDirectory =
    path !== undefined && directory !== undefined && `${path}${sep}`.startsWith(`${directory}${sep}`);
  if (!isInAgentDirectory) return { message: sentence, isUsage: false };
  const remedy = `Check the permissions of ${directory}, or set PARLEY_DIR to another directory. Run \`parley doctor\` for details.`;
  return { message: `${sentence}. ${remedy}`, isUsage: false };
}

/** A relative PARLEY_DIR cannot be resolved when the working directory does not exist. */
function findAgentDirectory(env: Readonly<Record<string, string | undefined>>): string | undefined {
  try {
    return resolveAgentDirectory(env, homeDirectory(env));
  } catch {
    return undefined;
  }
}
