// Returns the version of Parley: compiled into bundles, otherwise read from package.json.
import { createRequire } from 'node:module';

declare const __VERSION__: string | undefined;

export function version(): string {
  if (typeof __VERSION__ === 'string') return __VERSION__;
  // A package can import itself by name, so this works in src/ and in dist/lib/.
  const { version } = createRequire(import.meta.url)('parley-agent/package.json') as { version: string };
  return version;
}
