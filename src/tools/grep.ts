// First floor, tools: searches file contents. Ripgrep does the work; here stand the arguments, limits and notices.
import { basename, dirname } from 'node:path';
import { boolean, number, object, optional, string } from 'valibot';
import { contentKind, Fault, SNIFF_BYTES } from '../base/index.ts';
import { type ToolContext, tool } from '../contracts/index.ts';
import { GrepLines } from './grep-lines.ts';
import { type ExistingPlace, placeOf, refuseUnless } from './paths.ts';
import { orExplain, stopIfAborted, textResult, withNotices } from './result.ts';
import { LONGEST_LINE, search, searchArguments } from './ripgrep.ts';
import { atLeastOne, formatSize, headOfList, MAX_BYTES } from './truncation.ts';

export const grep = tool({
  name: 'grep',
  effect: 'read',
  doc: 'Search file contents with a regular expression (literal: plain text). Respects .gitignore, includes hidden files. context: lines around each match. Default limit 100 matches.',
  snippet: 'Search file contents',
  params: object({
    pattern: string(),
    path: optional(string()),
    glob: optional(string()),
    ignoreCase: optional(boolean()),
    literal: optional(boolean()),
    context: optional(number()),
    limit: optional(number()),
  }),
  async run({ pattern, path = '.', glob, ignoreCase, literal, context: around = 0, limit }, context) {
    stopIfAborted(context.signal);
    const most = atLeastOne(limit, 100);
    const place = await orExplain(`Cannot search ${path}`, () => searchable(path, context));
    const isFolder = place.info.kind === 'directory';
    const lines = new GrepLines(most, around);
    const { complaint, lost } = await search({
      ...context,
      cwd: isFolder ? place.real : dirname(place.real),
      args: [
        '--json',
        ...(ignoreCase ? ['--ignore-case'] : []),
        ...(literal ? ['--fixed-strings'] : []),
        ...(around >= 1 ? [`--context=${Math.floor(around)}`] : []),
        ...(glob === undefined ? [] : [`--glob=${glob}`]),
        // After the model's glob, because the last one that fits decides.
        ...searchArguments(place.real),
        `--regexp=${pattern}`,
        '--',
        isFolder ? './' : `./${basename(place.real)}`,
      ],
      onLine: (line) => lines.take(line),
    });
    if (complaint && lines.matches === 0) throw new Fault('tool_failed', complaint);
    return resultOf(lines, most, lost);
  },
});

function resultOf(found: GrepLines, limit: number, lost: number) {
  const { text, truncation } = headOfList(found.lines);
  const notices: string[] = [];
  if (found.isLimitReached) {
    notices.push(`${limit} matches limit reached. Use limit=${limit * 2} for more, or refine pattern`);
  }
  if (truncation) notices.push(`${formatSize(MAX_BYTES)} limit reached`);
  if (found.hasCutLines) notices.push('Some lines truncated to 500 chars. Use read tool to see full lines');
  if (lost > 0) notices.push(`${lost} matching lines over ${formatSize(LONGEST_LINE)} left out`);
  return textResult(withNotices(found.lines.length > 0 ? text : 'No matches found', notices), {
    truncation,
    matchLimitReached: found.isLimitReached ? limit : undefined,
    linesTruncated: found.hasCutLines ? true : undefined,
  });
}

/** A file named on purpose is searched to its end by ripgrep, even when it is gigabytes of zeros: those are refused. */
async function searchable(path: string, context: ToolContext): Promise<ExistingPlace> {
  const place = await placeOf(path, context);
  const { info } = place;
  if (!info) throw new Fault('not_found', `Path not found: ${place.absolute}`);
  if (info.kind === 'directory') return { ...place, info };
  refuseUnless('file', info, `Cannot search ${path}`);
  const head = await context.ports.files.read(place.real, { start: 0, length: SNIFF_BYTES });
  if (contentKind(head).kind === 'text') return { ...place, info };
  throw new Fault('tool_failed', `Cannot search ${path}: it is a binary file (${formatSize(info.size)})`);
}
