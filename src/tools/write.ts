// The `write` tool: creates or overwrites a file in place, so that links, owner and mode are preserved.
import { dirname } from 'node:path';
import { object, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { type PreviewContext, tool } from '../contracts/index.ts';
import { createLineDiff } from './edit-diff.ts';
import { withFileMutationQueue } from './file-mutation-queue.ts';
import { readHostText, writeHostText } from './host-files.ts';
import { listPathSubject, type ResolvedPath, requireKind, resolvePath } from './resolve-path.ts';
import { createTextResult, throwIfAborted, withErrorContext } from './result.ts';

/** A larger file is overwritten without a diff in the approval request. */
const MAX_DIFF_BYTES = 1024 * 1024;

export const write = tool({
  name: 'write',
  effect: 'write',
  fileAccess: 'modified',
  doc: 'Create or overwrite a file. Missing folders are made.',
  snippet: 'Create or overwrite files',
  guidelines: ['Use write only for new files or complete rewrites.'],
  params: object({ path: string(), content: string() }),
  listSubjects: listPathSubject,
  async run({ path, content }, context) {
    const { signal, ports, cwd, hostUris } = context;
    if (hostUris?.findScheme(path)) {
      const { writeHostUri } = await import('./host-uri.ts');
      return writeHostUri(hostUris, path, content, signal);
    }
    const intent = `Cannot write ${path}`;
    const resolved = await resolvePath(path, { cwd, ports });
    const { real } = resolved;
    const bytes = Buffer.from(content, 'utf8');
    await withFileMutationQueue((context.agentPorts ?? ports).files, real, () =>
      withErrorContext(intent, async () => {
        throwIfAborted(signal);
        const info = await ports.files.info(real);
        if (info) requireKind('file', info, intent);
        else await ports.files.makeDirectory(dirname(real));
        if (!(await writeHostText({ ...resolved, info }, content, context))) await ports.files.write(real, bytes);
      }),
    );
    return createTextResult(`Successfully wrote ${bytes.length} bytes to ${path}`);
  },
  async previewDiff({ path, content }, context) {
    const before = await readForDiff(await resolvePath(path, context), context);
    return (await createLineDiff(unifyLineEndings(before), unifyLineEndings(content))).diff;
  },
});

async function readForDiff(file: ResolvedPath, context: PreviewContext): Promise<string> {
  const hostText = await readHostText(file, context);
  if (!hostText && !file.info) return '';
  const range = { start: 0, length: MAX_DIFF_BYTES + 1 };
  const bytes = hostText ? Buffer.from(hostText.text, 'utf8') : await context.ports.files.read(file.real, range);
  if (bytes.length > MAX_DIFF_BYTES) throw new Fault('tool_failed', 'The file is too large for a diff.');
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

function unifyLineEndings(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
