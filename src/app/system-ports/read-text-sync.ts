// Reads a text file synchronously, for foreign interfaces that are synchronous. Use the Files port everywhere else.
import { readFileSync } from 'node:fs';

export function readTextSync(path: string): string {
  return readFileSync(path, 'utf8');
}
