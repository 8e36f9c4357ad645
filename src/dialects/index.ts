// Lists the dialects by the name that `--dialect` takes. Only the default dialect is loaded at startup.
import { Fault } from '../base/index.ts';
import type { Dialect } from '../contracts/index.ts';
import { omp } from './omp/index.ts';

type DialectLoader = () => Dialect | Promise<Dialect>;

const DIALECT_LOADERS: ReadonlyMap<string, DialectLoader> = new Map<string, DialectLoader>([
  [omp.name, () => omp],
  ['pi', async () => (await import('./pi/index.ts')).pi],
  ['pi-legacy', async () => (await import('./pi-legacy/index.ts')).piLegacy],
  ['acp', async () => (await import('./acp/index.ts')).acp],
  ['opal', async () => (await import('./opal/index.ts')).opal],
]);

export const dialectNames: readonly string[] = [...DIALECT_LOADERS.keys()];

export async function loadDialect(name: string): Promise<Dialect> {
  const dialect = await DIALECT_LOADERS.get(name)?.();
  if (dialect) return dialect;
  throw new Fault('config', `Unknown dialect: ${name}. Available: ${dialectNames.join(', ')}`);
}

export { omp };
