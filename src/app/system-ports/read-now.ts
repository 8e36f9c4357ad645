// The hall, system ports: a file as it is now, for interfaces of others that cannot wait. Everything else reads through Files.
import { readFileSync } from 'node:fs';

export function readTextNow(path: string): string {
  return readFileSync(path, 'utf8');
}
