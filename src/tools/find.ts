// The `find` tool: finds files by glob. Ripgrep only lists files; the glob is matched here, because a glob passed to ripgrep
// overrides .gitignore.
import { number, object, optional, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { tool } from '../contracts/index.ts';
import { compileGlob } from '../support/glob.ts';
import { formatSize, MAX_BYTES, normalizeLimit, truncateList } from '../support/truncation.ts';
import { confirmNames, requireListable } from './confirm-search.ts';
import { listPathSubject, requireDirectory, resolvePath } from './resolve-path.ts';
import { appendNotices, createTextResult, throwIfAborted } from './result.ts';
import { buildSearchArguments, runRipgrep } from './ripgrep.ts';

export const find = tool({
  name: 'find',
  effect: 'read',
  doc: "Find files by glob, e.g. '*.ts' (any folder) or 'src/**/*.ts'. Respects .gitignore, includes hidden files. Default limit 1000.",
  snippet: 'Find files by glob',
  params: object({ pattern: string(), path: optional(string()), limit: optional(number()) }),
  listSubjects: listPathSubject,
  async run({ pattern, path = '.', limit }, context) {
    throwIfAborted(context.signal);
    const maxResults = normalizeLimit(limit, 1000);
    const matchesGlob = compileGlob(pattern);
    const directory = await resolvePath(path, context);
    requireDirectory(directory);
    await requireListable(context.ports.files, directory.real);
    const found: string[] = [];
    const { errorText } = await runRipgrep({
      ...context,
      cwd: directory.real,
      args: ['--files', ...buildSearchArguments(directory.real), '--', './'],
      onLine(line) {
        const file = line.replace(/^\.\//, '');
        if (matchesGlob(file)) found.push(file);
        return found.length > maxResults;
      },
    });
    if (errorText && found.length === 0) throw new Fault('tool_failed', errorText);
    const { files } = context.ports;
    const shown = context.isEnforcingPaths ? await confirmNames(files, directory.real, found) : found;
    return buildResult(shown, maxResults);
  },
});

function buildResult(found: readonly string[], limit: number) {
  if (found.length === 0) return createTextResult('No files found matching pattern');
  const resultLimitReached = found.length > limit ? limit : undefined;
  const { text, truncation } = truncateList(found.slice(0, limit));
  const notices: string[] = [];
  if (resultLimitReached) {
    notices.push(`${limit} results limit reached. Use limit=${limit * 2} for more, or refine pattern`);
  }
  if (truncation) notices.push(`${formatSize(MAX_BYTES)} limit reached`);
  return createTextResult(appendNotices(text, notices), { truncation, resultLimitReached });
}
