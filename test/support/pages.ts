// The documents and their code blocks. A block whose fence is marked `run` is executed; the `output` block after one is its expected output.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Block {
  readonly language: string;
  readonly code: string;
  readonly output: string[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const FENCE = /^```(\w*)( run)?\n(.*?)^```$/gms;

/** Relative to the root of the repository. */
export const ALL_PAGES = [
  ...['README.md', 'clients/python/README.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
];

export const readPage = (page: string) => readFileSync(join(root, page), 'utf8');

export const fencesOf = (page: string) => [...readPage(page).matchAll(FENCE)];

/** The blocks marked `run`. */
export function blocksOf(page: string): Block[] {
  const fences = fencesOf(page);
  return fences.flatMap(([, language = '', run, code = ''], i) => {
    const [, next, , output = ''] = fences[i + 1] ?? [];
    if (!run) return [];
    return [{ language, code, output: next === 'output' ? output.trimEnd().split('\n') : [] }];
  });
}
