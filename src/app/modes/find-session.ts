// Finds a stored session by its path or by the beginning of its id, in several session directories.
import { Fault } from '../../base/index.ts';
import type { SessionStore } from '../../contracts/index.ts';

export interface FoundSession<S> {
  readonly store: S;
  readonly path: string;
}

/** Searches the stores in order. Throws the problem of the first store when no store has the session. */
export async function findSession<S extends Pick<SessionStore, 'locate'>>(
  stores: readonly S[],
  reference: string,
): Promise<FoundSession<S>> {
  let firstProblem: unknown;
  for (const store of stores) {
    try {
      return { store, path: await store.locate(reference) };
    } catch (thrown) {
      // An ambiguous reference must not select a session of a later directory.
      if (!(thrown instanceof Fault) || thrown.code === 'invalid_params') throw thrown;
      firstProblem ??= thrown;
    }
  }
  throw firstProblem;
}
