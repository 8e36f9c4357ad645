// The `edit` tool: replaces text in a file. Other bytes stay unchanged, including line endings and the BOM.
import { array, type InferOutput, object, optional, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { type Files, tool } from '../contracts/index.ts';
import { formatSize } from '../support/truncation.ts';
import { applyEdits, type Edit } from './apply-edits.ts';
import { createLineDiff } from './edit-diff.ts';
import { withFileMutationQueue } from './file-mutation-queue.ts';
import { requireFile, resolveExistingPath } from './resolve-path.ts';
import { createTextResult, throwIfAborted, withErrorContext } from './result.ts';
import { createExactView } from './text-view.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const BOM = '\ufeff';

const params = object({
  path: string(),
  edits: optional(array(object({ oldText: string(), newText: string() }))),
  oldText: optional(string()),
  newText: optional(string()),
});

export const edit = tool({
  name: 'edit',
  effect: 'write',
  fileAccess: 'modified',
  doc: 'Replace text in a file. Each oldText must be copied exactly, occur once, and not overlap another; several edits are matched against the original, all or none. For a single edit, oldText and newText may be top-level.',
  snippet: 'Make exact replacements in files, several at once',
  guidelines: ['Put all changes to one file into one edit call; keep each oldText short but unique.'],
  params,
  async run(args, { signal, ports, cwd }) {
    const { path } = args;
    const edits = collectEdits(args);
    const file = await resolveExistingPath(path, { cwd, ports });
    requireFile(file, 'Cannot edit');
    const { before, after } = await withFileMutationQueue(ports.files, file.real, () =>
      withErrorContext(`Cannot edit ${path}`, async () => {
        throwIfAborted(signal);
        const change = await computeChange(ports.files, file.real, path, edits);
        await ports.files.write(file.real, Buffer.from(change.bom + change.after, 'utf8'));
        return change;
      }),
    );
    const description = edits.length === 1 ? 'text' : `${edits.length} block(s)`;
    return createTextResult(`Successfully replaced ${description} in ${path}.`, {
      ...(await createLineDiff(createExactView(before).text, createExactView(after).text)),
    });
  },
  async previewDiff(args, { ports, cwd }) {
    const file = await resolveExistingPath(args.path, { cwd, ports });
    const { before, after } = await computeChange(ports.files, file.real, args.path, collectEdits(args));
    return (await createLineDiff(createExactView(before).text, createExactView(after).text)).diff;
  },
});

async function computeChange(files: Files, real: string, path: string, edits: readonly Edit[]) {
  const content = await readText(files, real, path);
  const bom = content.startsWith(BOM) ? BOM : '';
  const before = content.slice(bom.length);
  return { bom, before, after: applyEdits(before, edits, path) };
}

function collectEdits({ path, edits = [], oldText, newText }: InferOutput<typeof params>): readonly Edit[] {
  if ((oldText === undefined) !== (newText === undefined)) {
    throw new Fault('invalid_params', `edit of ${path} needs both oldText and newText`);
  }
  const all = oldText === undefined || newText === undefined ? edits : [...edits, { oldText, newText }];
  if (all.length === 0) {
    throw new Fault('invalid_params', `edit of ${path} needs edits, or oldText and newText`);
  }
  return all;
}

async function readText(files: Files, real: string, path: string): Promise<string> {
  const bytes = await files.read(real, { start: 0, length: MAX_FILE_BYTES + 1 });
  if (bytes.length > MAX_FILE_BYTES) {
    throw new Fault('tool_failed', `Cannot edit ${path}: it is larger than ${formatSize(MAX_FILE_BYTES)}. Use bash`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    // Writing the decoded text back would corrupt all invalid bytes.
    throw new Fault('tool_failed', `Cannot edit ${path}: it is not UTF-8 text. Use bash`, { cause });
  }
}
