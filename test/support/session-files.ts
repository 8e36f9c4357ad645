// Finds session files below a directory and reads their entries.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'vitest';

/** All paths below the directory, relative to it. Directories end with a slash. */
export function listPaths(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)) + (entry.isDirectory() ? '/' : ''))
    .sort();
}

export function listSessionFiles(directory: string): string[] {
  return listPaths(directory)
    .filter((path) => path.endsWith('.jsonl'))
    .map((path) => join(directory, path));
}

/** The entries of a session file. Every line must be complete JSON. */
export function readEntries(file: string): Record<string, unknown>[] {
  const text = readFileSync(file, 'utf8');
  expect(text.endsWith('\n'), `${file} ends with a whole line`).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The roles of the messages in the only session below the directory. */
export function readRoles(directory: string): string[] {
  const files = listSessionFiles(directory);
  expect(files).toHaveLength(1);
  return readEntries(files[0]!).flatMap((entry) => {
    const { message } = entry as { message?: { role: string } };
    return message ? [message.role] : [];
  });
}

export function readFileMode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
