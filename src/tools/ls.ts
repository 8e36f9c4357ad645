// The `ls` tool: lists a directory, sorted, so that the output is deterministic.
import { join } from 'node:path';
import { number, object, optional, string } from 'valibot';
import { type Files, tool } from '../contracts/index.ts';
import { formatSize, MAX_BYTES, normalizeLimit, truncateList } from '../support/truncation.ts';
import { listPathSubject, requireDirectory, resolvePath } from './resolve-path.ts';
import { appendNotices, createTextResult, throwIfAborted, withErrorContext } from './result.ts';

export const ls = tool({
  name: 'ls',
  effect: 'read',
  doc: 'List a directory, dotfiles too. Folders end with a slash. Default limit 500.',
  snippet: 'List a directory',
  params: object({ path: optional(string()), limit: optional(number()) }),
  listSubjects: listPathSubject,
  async run({ path = '.', limit }, context) {
    throwIfAborted(context.signal);
    const maxEntries = normalizeLimit(limit, 500);
    const { files } = context.ports;
    const directory = await resolvePath(path, context);
    requireDirectory(directory);
    const entries = await withErrorContext(`Cannot list ${path}`, () => files.list(directory.real));
    if (entries.length === 0) return createTextResult('(empty directory)');
    entries.sort(
      (a, b) => compareCodeUnits(a.name.toLowerCase(), b.name.toLowerCase()) || compareCodeUnits(a.name, b.name),
    );
    const names = await Promise.all(
      entries.slice(0, maxEntries).map(async ({ name, kind }) => {
        const isFolder =
          kind === 'directory' || (kind === 'link' && (await isDirectoryLink(files, directory.real, name)));
        return isFolder ? `${name}/` : name;
      }),
    );
    const { text, truncation } = truncateList(names);
    const entryLimitReached = entries.length > maxEntries ? maxEntries : undefined;
    const notices: string[] = [];
    if (entryLimitReached) notices.push(`${maxEntries} entries limit reached. Use limit=${maxEntries * 2} for more`);
    if (truncation) notices.push(`${formatSize(MAX_BYTES)} limit reached`);
    return createTextResult(appendNotices(text, notices), { truncation, entryLimitReached });
  },
});

/** Not by locale: the order must be the same on every machine. */
function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function isDirectoryLink(files: Files, directory: string, name: string): Promise<boolean> {
  const info = await files.info(join(directory, name)).catch(() => undefined);
  return info?.kind === 'directory';
}
