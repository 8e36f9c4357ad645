// The `grep` tool: searches file contents with ripgrep.
import { basename, dirname } from 'node:path';
import { boolean, number, object, optional, string } from 'valibot';
import { detectContentKind, Fault, SNIFF_BYTES } from '../base/index.ts';
import { type ToolContext, tool } from '../contracts/index.ts';
import { formatSize, MAX_BYTES, normalizeLimit, truncateList } from '../support/truncation.ts';
import { confirmLines, requireListable } from './confirm-search.ts';
import { type FoundLine, GrepCollector } from './grep-collector.ts';
import { type ExistingPath, listPathSubject, requireKind, resolvePath } from './resolve-path.ts';
import { appendNotices, createTextResult, throwIfAborted, withErrorContext } from './result.ts';
import { buildSearchArguments, MAX_LINE_BYTES, runRipgrep } from './ripgrep.ts';

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
  listSubjects: listPathSubject,
  async run({ pattern, path = '.', glob, ignoreCase, literal, context: contextLines = 0, limit }, context) {
    throwIfAborted(context.signal);
    const maxMatches = normalizeLimit(limit, 100);
    const target = await withErrorContext(`Cannot search ${path}`, () => resolveSearchTarget(path, context));
    const isFolder = target.info.kind === 'directory';
    const collector = new GrepCollector(maxMatches, contextLines);
    const { errorText, skippedLines } = await runRipgrep({
      ...context,
      cwd: isFolder ? target.real : dirname(target.real),
      args: [
        '--json',
        ...(ignoreCase ? ['--ignore-case'] : []),
        ...(literal ? ['--fixed-strings'] : []),
        ...(contextLines >= 1 ? [`--context=${Math.floor(contextLines)}`] : []),
        ...(glob === undefined ? [] : [`--glob=${glob}`]),
        // After the model's glob: the last matching --glob wins.
        ...buildSearchArguments(target.real),
        `--regexp=${pattern}`,
        '--',
        isFolder ? './' : `./${basename(target.real)}`,
      ],
      onLine: (line) => collector.addJsonLine(line),
    });
    if (errorText && collector.matchCount === 0) throw new Fault('tool_failed', errorText);
    const directory = isFolder ? target.real : dirname(target.real);
    const found = context.isEnforcingPaths
      ? await confirmLines(context.ports.files, directory, collector.found)
      : collector.found;
    // A notice about lines that are not shown would tell what a refused file contains.
    return buildResult(found, maxMatches, context.isEnforcingPaths ? 0 : skippedLines);
  },
});

function buildResult(found: readonly FoundLine[], limit: number, skippedLines: number) {
  const isLimitReached = found.filter(({ isMatch }) => isMatch).length >= limit;
  const hasTruncatedLines = found.some(({ isTruncated }) => isTruncated);
  const { text, truncation } = truncateList(found.map(({ shown }) => shown));
  const notices: string[] = [];
  if (isLimitReached) {
    notices.push(`${limit} matches limit reached. Use limit=${limit * 2} for more, or refine pattern`);
  }
  if (truncation) notices.push(`${formatSize(MAX_BYTES)} limit reached`);
  if (hasTruncatedLines) notices.push('Some lines truncated to 500 chars. Use read tool to see full lines');
  if (skippedLines > 0) notices.push(`${skippedLines} matching lines over ${formatSize(MAX_LINE_BYTES)} left out`);
  return createTextResult(appendNotices(found.length > 0 ? text : 'No matches found', notices), {
    truncation,
    matchLimitReached: isLimitReached ? limit : undefined,
    linesTruncated: hasTruncatedLines ? true : undefined,
  });
}

/** Rejects binary files: ripgrep searches a file that is named explicitly to its end, even gigabytes of zeros. */
async function resolveSearchTarget(path: string, context: ToolContext): Promise<ExistingPath> {
  const target = await resolvePath(path, context);
  const { info } = target;
  if (!info) throw new Fault('not_found', `Path not found: ${target.absolute}`);
  if (info.kind === 'directory') {
    await requireListable(context.ports.files, target.real);
    return { ...target, info };
  }
  requireKind('file', info, `Cannot search ${path}`);
  const head = await context.ports.files.read(target.real, { start: 0, length: SNIFF_BYTES });
  if (detectContentKind(head).kind === 'text') return { ...target, info };
  throw new Fault('tool_failed', `Cannot search ${path}: it is a binary file (${formatSize(info.size)})`);
}
