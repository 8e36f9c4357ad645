// What ends the program and is no Fault, as a sentence that says what to do. Loaded when that happens.
import { sep } from 'node:path';
import { failedPath, isDirectoryGone, sentenceOf } from '../../base/system-error.ts';
import { homeDirectory } from '../home.ts';
import { userDirectory } from '../settings.ts';

interface Explained {
  readonly sentence: string;
  /** The user can correct it by starting the program otherwise. */
  readonly isUsage: boolean;
}

export function explained(thrown: unknown, env: Readonly<Record<string, string | undefined>>): Explained {
  const sentence = sentenceOf(thrown);
  if (isDirectoryGone(thrown)) return { sentence, isUsage: true };
  const directory = ownDirectory(env);
  const path = failedPath(thrown);
  const isOwn = path !== undefined && directory !== undefined && `${path}${sep}`.startsWith(`${directory}${sep}`);
  if (!isOwn) return { sentence, isUsage: false };
  const wayOut = `Check the rights on ${directory}, or name another directory with PARLEY_DIR. parley doctor says more.`;
  return { sentence: `${sentence}. ${wayOut}`, isUsage: false };
}

/** A relative PARLEY_DIR has no meaning where the working directory is gone. */
function ownDirectory(env: Readonly<Record<string, string | undefined>>): string | undefined {
  try {
    return userDirectory(env, homeDirectory(env));
  } catch {
    return undefined;
  }
}
