// Table of contents: every dialect, by the name that `--dialect` takes. All but the default are loaded when they are spoken.
import { Fault } from '../base/index.ts';
import type { Dialect } from '../contracts/index.ts';
import { omp } from './omp/index.ts';

type Loader = () => Dialect | Promise<Dialect>;

const LOADERS: ReadonlyMap<string, Loader> = new Map<string, Loader>([
  [omp.name, () => omp],
  ['pi', async () => (await import('./pi/index.ts')).pi],
  ['pi-legacy', async () => (await import('./pi-legacy/index.ts')).piLegacy],
]);

export const dialectNames: readonly string[] = [...LOADERS.keys()];

/** Announced, but nobody speaks them yet. */
const PROMISED: ReadonlySet<string> = new Set(['opal']);

export async function dialectNamed(name: string): Promise<Dialect> {
  const dialect = await LOADERS.get(name)?.();
  if (dialect) return dialect;
  const problem = PROMISED.has(name) ? `The dialect ${name} is not spoken yet` : `Unknown dialect: ${name}`;
  throw new Fault('config', `${problem}. Available: ${dialectNames.join(', ')}`);
}

export { omp };
