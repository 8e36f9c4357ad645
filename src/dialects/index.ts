// Table of contents: every dialect, by the name that `--dialect` takes. All but the default are loaded when they are spoken.
import { Fault } from '../base/index.ts';
import type { Dialect } from '../contracts/index.ts';
import { omp } from './omp/index.ts';

type Loader = () => Dialect | Promise<Dialect>;

const LOADERS: ReadonlyMap<string, Loader> = new Map<string, Loader>([
  [omp.name, () => omp],
  ['pi', async () => (await import('./pi/index.ts')).pi],
  ['pi-legacy', async () => (await import('./pi-legacy/index.ts')).piLegacy],
  ['opal', async () => (await import('./opal/index.ts')).opal],
]);

export const dialectNames: readonly string[] = [...LOADERS.keys()];

export async function dialectNamed(name: string): Promise<Dialect> {
  const dialect = await LOADERS.get(name)?.();
  if (dialect) return dialect;
  throw new Fault('config', `Unknown dialect: ${name}. Available: ${dialectNames.join(', ')}`);
}

export { omp };
