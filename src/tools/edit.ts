// First floor, tools: replaces pieces of one text file. What is not replaced keeps every byte, line ends and BOM included.
import { array, type InferOutput, object, optional, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { type Files, tool } from '../contracts/index.ts';
import { lineDiff } from './edit-diff.ts';
import { applyEdits, type Edit } from './edit-match.ts';
import { plainView } from './edit-view.ts';
import { inTurn } from './path-queue.ts';
import { existingPlace, requireFile } from './paths.ts';
import { orExplain, stopIfAborted, textResult } from './result.ts';
import { formatSize } from './truncation.ts';

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
  file: 'modified',
  doc: 'Replace text in a file. Each oldText must be copied exactly, occur once, and not overlap another; several edits are matched against the original, all or none. For a single edit, oldText and newText may stand beside path.',
  snippet: 'Make exact replacements in files, several at once',
  guidelines: ['Put all changes to one file into one edit call; keep each oldText as short as is unique.'],
  params,
  async run(args, { signal, ports, cwd }) {
    const { path } = args;
    const edits = editsOf(args);
    const place = await existingPlace(path, { cwd, ports });
    requireFile(place, 'Cannot edit');
    const { before, after } = await inTurn(ports.files, place.real, () =>
      orExplain(`Cannot edit ${path}`, async () => {
        stopIfAborted(signal);
        const content = await textOf(ports.files, place.real, path);
        const bom = content.startsWith(BOM) ? BOM : '';
        const source = content.slice(bom.length);
        const changed = applyEdits(source, edits, path);
        await ports.files.write(place.real, Buffer.from(bom + changed, 'utf8'));
        return { before: source, after: changed };
      }),
    );
    const done = edits.length === 1 ? 'text' : `${edits.length} block(s)`;
    return textResult(`Successfully replaced ${done} in ${path}.`, {
      ...(await lineDiff(plainView(before).text, plainView(after).text)),
    });
  },
});

function editsOf({ path, edits = [], oldText, newText }: InferOutput<typeof params>): readonly Edit[] {
  if ((oldText === undefined) !== (newText === undefined)) {
    throw new Fault('invalid_params', `edit of ${path} needs both oldText and newText`);
  }
  const all = oldText === undefined || newText === undefined ? edits : [...edits, { oldText, newText }];
  if (all.length === 0) {
    throw new Fault('invalid_params', `edit of ${path} needs edits, or oldText and newText`);
  }
  return all;
}

async function textOf(files: Files, real: string, path: string): Promise<string> {
  const bytes = await files.read(real, { start: 0, length: MAX_FILE_BYTES + 1 });
  if (bytes.length > MAX_FILE_BYTES) {
    throw new Fault('tool_failed', `Cannot edit ${path}: it is larger than ${formatSize(MAX_FILE_BYTES)}. Use bash`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    // Writing it back would spoil every byte that could not be read.
    throw new Fault('tool_failed', `Cannot edit ${path}: it is not UTF-8 text. Use bash`, { cause });
  }
}
