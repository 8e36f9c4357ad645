// First floor, tools: finds files by name. Ripgrep walks the folders and honours .gitignore; the glob is judged here,
// because a glob given to ripgrep would bring ignored files back.
import { number, object, optional, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { tool } from '../contracts/index.ts';
import { compileGlob } from './glob.ts';
import { placeOf, requireDirectory } from './paths.ts';
import { stopIfAborted, textResult, withNotices } from './result.ts';
import { search, searchArguments } from './ripgrep.ts';
import { atLeastOne, formatSize, headOfList, MAX_BYTES } from './truncation.ts';

export const find = tool({
  name: 'find',
  effect: 'read',
  doc: "Find files by glob, e.g. '*.ts' (any folder) or 'src/**/*.ts'. Respects .gitignore, includes hidden files. Default limit 1000.",
  snippet: 'Find files by glob',
  params: object({ pattern: string(), path: optional(string()), limit: optional(number()) }),
  async run({ pattern, path = '.', limit }, context) {
    stopIfAborted(context.signal);
    const most = atLeastOne(limit, 1000);
    const fits = compileGlob(pattern);
    const place = await placeOf(path, context);
    requireDirectory(place);
    const found: string[] = [];
    const { complaint } = await search({
      ...context,
      cwd: place.real,
      args: ['--files', ...searchArguments(place.real), '--', './'],
      onLine(line) {
        const file = line.replace(/^\.\//, '');
        if (fits(file)) found.push(file);
        return found.length > most;
      },
    });
    if (complaint && found.length === 0) throw new Fault('tool_failed', complaint);
    return resultOf(found, most);
  },
});

function resultOf(found: readonly string[], limit: number) {
  if (found.length === 0) return textResult('No files found matching pattern');
  const resultLimitReached = found.length > limit ? limit : undefined;
  const { text, truncation } = headOfList(found.slice(0, limit));
  const notices: string[] = [];
  if (resultLimitReached) {
    notices.push(`${limit} results limit reached. Use limit=${limit * 2} for more, or refine pattern`);
  }
  if (truncation) notices.push(`${formatSize(MAX_BYTES)} limit reached`);
  return textResult(withNotices(text, notices), { truncation, resultLimitReached });
}
