// The hall: whether there is anything to trust. In the way of every start, so the rest is loaded only when there is.
import type { Agent } from '../compose.ts';
import type { Introduction } from './introduce.ts';
import { findConfiguration } from './places.ts';

type About = Pick<Introduction, 'ports' | 'agentDirectory' | 'cwd' | 'because' | 'tell'> & {
  /** Ask the host nothing. */
  readonly noUi?: boolean | undefined;
};

/** Says that the project is not trusted, when there is something to trust, and asks whether it shall be. */
export async function offerTrust({ places, hub }: Agent, { noUi, ...about }: About): Promise<void> {
  const found = places.trusted ? [] : await findConfiguration(about.ports.files, about.cwd);
  if (found.length === 0) return;
  const { introduceProject } = await import('./introduce.ts');
  await introduceProject({ ...about, found, places, ui: noUi ? undefined : hub.ui });
}
