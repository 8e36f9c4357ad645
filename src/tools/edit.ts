// The `edit` tool: replaces text in a file. Other bytes stay unchanged, including line endings and the BOM.
import { dirname } from 'node:path';
import { array, type InferOutput, object, optional, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { type Files, type PreviewContext, tool } from '../contracts/index.ts';
import { formatSize } from '../support/truncation.ts';
import { applyEdits, type Edit } from './apply-edits.ts';
import { createLineDiff } from './edit-diff.ts';
import { withFileMutationQueue } from './file-mutation-queue.ts';
import { type HostText, readHostText, writeHostText } from './host-files.ts';
import { listPathSubject, type ResolvedPath, requireFile, resolveExistingPath } from './resolve-path.ts';
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
  listSubjects: listPathSubject,
  async run(args, context) {
    const { signal, ports } = context;
    const { path } = args;
    const edits = collectEdits(args);
    const file = await resolveExistingPath(path, context);
    const { before, after } = await withFileMutationQueue((context.agentPorts ?? ports).files, file.real, () =>
      withErrorContext(`Cannot edit ${path}`, async () => {
        throwIfAborted(signal);
        const change = await computeChange(file, edits, context);
        await saveChange(file, change, context);
        return change;
      }),
    );
    const description = edits.length === 1 ? 'text' : `${edits.length} block(s)`;
    return createTextResult(`Successfully replaced ${description} in ${path}.`, {
      ...(await createLineDiff(createExactView(before).text, createExactView(after).text)),
    });
  },
  async previewDiff(args, context) {
    const file = await resolveExistingPath(args.path, context);
    const { before, after } = await computeChange(file, collectEdits(args), context);
    return (await createLineDiff(createExactView(before).text, createExactView(after).text)).diff;
  },
});

interface Change {
  readonly bom: string;
  /** Without the BOM, like `after`. */
  readonly before: string;
  readonly after: string;
  /** Set when the host has provided the text. */
  readonly hostText: HostText | undefined;
}

async function computeChange(file: ResolvedPath, edits: readonly Edit[], context: PreviewContext): Promise<Change> {
  const hostText = await readHostText(file, context);
  if (!hostText) requireFile(file, 'Cannot edit');
  const content = hostText?.text ?? (await readText(context.ports.files, file.real, file.requested));
  const bom = content.startsWith(BOM) ? BOM : '';
  const before = content.slice(bom.length);
  return { bom, before, after: applyEdits(before, edits, file.requested), hostText };
}

async function saveChange(file: ResolvedPath, change: Change, context: PreviewContext): Promise<void> {
  const { hostText } = change;
  const text = change.bom + change.after;
  // A host that could not read the file may have unsaved changes in it, which must not be overwritten.
  const canUseHost = hostText || !context.hostServices?.files?.readText;
  if (canUseHost && (await writeHostText(file, hostText?.toHostForm(text) ?? text, context))) return;
  const { files } = context.ports;
  if (!file.info) await files.makeDirectory(dirname(file.real));
  await files.write(file.real, Buffer.from(text, 'utf8'));
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
