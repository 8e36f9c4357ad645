// The hall: which Parley this is. Bundles carry the number; plain modules look it up in their own package.json when asked.
import { createRequire } from 'node:module';

declare const __VERSION__: string | undefined;

export function version(): string {
  if (typeof __VERSION__ === 'string') return __VERSION__;
  // A package may import itself by name, so this holds for src/ as well as for dist/lib/.
  const { version } = createRequire(import.meta.url)('parley-agent/package.json') as { version: string };
  return version;
}
