// First floor, tools: lists one directory. Sorted, because a model that sees the same folder twice should see the same words.
import { join } from 'node:path';
import { number, object, optional, string } from 'valibot';
import { type Files, tool } from '../contracts/index.ts';
import { placeOf, requireDirectory } from './paths.ts';
import { orExplain, stopIfAborted, textResult, withNotices } from './result.ts';
import { atLeastOne, formatSize, headOfList, MAX_BYTES } from './truncation.ts';

export const ls = tool({
  name: 'ls',
  effect: 'read',
  doc: 'List a directory, dotfiles too. Folders end with a slash. Default limit 500.',
  snippet: 'List a directory',
  params: object({ path: optional(string()), limit: optional(number()) }),
  async run({ path = '.', limit }, context) {
    stopIfAborted(context.signal);
    const most = atLeastOne(limit, 500);
    const { files } = context.ports;
    const place = await placeOf(path, context);
    requireDirectory(place);
    const entries = await orExplain(`Cannot list ${path}`, () => files.list(place.real));
    if (entries.length === 0) return textResult('(empty directory)');
    entries.sort((a, b) => compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.name, b.name));
    const names = await Promise.all(
      entries.slice(0, most).map(async ({ name, kind }) => {
        const isFolder = kind === 'directory' || (kind === 'link' && (await leadsToDirectory(files, place.real, name)));
        return isFolder ? `${name}/` : name;
      }),
    );
    const { text, truncation } = headOfList(names);
    const entryLimitReached = entries.length > most ? most : undefined;
    const notices: string[] = [];
    if (entryLimitReached) notices.push(`${most} entries limit reached. Use limit=${most * 2} for more`);
    if (truncation) notices.push(`${formatSize(MAX_BYTES)} limit reached`);
    return textResult(withNotices(text, notices), { truncation, entryLimitReached });
  },
});

/** By code units, not by locale: the order must not depend on the machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function leadsToDirectory(files: Files, directory: string, name: string): Promise<boolean> {
  const info = await files.info(join(directory, name)).catch(() => undefined);
  return info?.kind === 'directory';
}
