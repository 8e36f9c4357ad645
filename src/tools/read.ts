// First floor, tools: shows a file, a range of its lines, an image, or a kept output. Never holds more than it shows.
import { number, object, optional, string } from 'valibot';
import { contentKind, Fault, SNIFF_BYTES } from '../base/index.ts';
import { type OpenFile, type ToolContext, type ToolResult, tool } from '../contracts/index.ts';
import { type LineRange, type LinesFound, linesOf, SCAN_LIMIT } from './file-lines.ts';
import { type ExistingPlace, existingPlace, type Place, requireFile } from './paths.ts';
import { orExplain, stopIfAborted, textResult } from './result.ts';
import { atLeastOne, formatSize, MAX_BYTES, MAX_LINES, type TruncationResult, truncationOf } from './truncation.ts';

const ARTIFACT = 'artifact://';
/** Providers refuse images above 5 MB, counted in base64. */
const MAX_IMAGE_BYTES = 4.5 * 1024 * 1024;

export const read = tool({
  name: 'read',
  effect: 'read',
  file: 'read',
  doc: `Read a file: text or image (png, jpeg, gif, webp). Text stops at ${MAX_LINES} lines or 50KB; go on with offset (first line, from 1) and limit (lines). artifact://ID opens a saved output.`,
  snippet: 'Read files and images',
  guidelines: ['Use read to look at files, not cat or sed.'],
  params: object({ path: string(), offset: optional(number()), limit: optional(number()) }),
  async run({ path, offset, limit }, context) {
    stopIfAborted(context.signal);
    const place = path.startsWith(ARTIFACT) ? await artifactPlace(path, context) : await existingPlace(path, context);
    requireFile(place, 'Cannot read');
    const range = { first: atLeastOne(offset, 1), count: atLeastOne(limit, Number.POSITIVE_INFINITY) };
    return orExplain(`Cannot read ${path}`, async () => {
      const file = await context.ports.files.open(place.real, 'read');
      try {
        return await show(file, place, range, context.signal);
      } finally {
        await file.close();
      }
    });
  },
});

async function artifactPlace(given: string, { artifacts, ports }: ToolContext): Promise<Place> {
  const path = await artifacts.find(given.slice(ARTIFACT.length));
  if (path === undefined) throw new Fault('not_found', `Artifact not found: ${given}`);
  const real = await ports.files.resolve(path);
  return { given: path, absolute: path, real, info: await ports.files.info(real) };
}

async function show(file: OpenFile, place: ExistingPlace, range: LineRange, signal: AbortSignal): Promise<ToolResult> {
  const content = contentKind(await file.read(0, SNIFF_BYTES));
  if (content.kind === 'image') return showImage(file, place.info.size, content.mimeType);
  if (content.kind === 'binary') {
    return textResult(`[${place.given} is a binary file (${formatSize(place.info.size)}); its content is not shown]`);
  }
  const found = await linesOf(file, range, signal);
  if (found.text !== undefined) return showLines(found, range, place.given);
  if (found.complete && found.total === 0 && range.first === 1) return textResult('(empty file)');
  if (found.complete) {
    throw new Fault('tool_failed', `Offset ${range.first} is beyond end of file (${found.total} lines total)`);
  }
  const way = `Use bash: sed -n '${range.first},${range.first + MAX_LINES - 1}p' ${shellWord(place.given)}`;
  throw new Fault(
    'tool_failed',
    `Offset ${range.first} is beyond the first ${formatSize(SCAN_LIMIT)} of the file. ${way}`,
  );
}

async function showImage(file: OpenFile, size: number, mimeType: string): Promise<ToolResult> {
  const note = `Read image file [${mimeType}]`;
  const encodedSize = Math.ceil(size / 3) * 4;
  if (encodedSize > MAX_IMAGE_BYTES) {
    const sizes = `${formatSize(size)}, ${formatSize(encodedSize)} when encoded; the limit is ${formatSize(MAX_IMAGE_BYTES)}`;
    return textResult(`${note}\n[Image left out: ${sizes}]`);
  }
  const data = Buffer.from(await file.read(0, size)).toString('base64');
  return {
    content: [
      { type: 'text', text: note },
      { type: 'image', data, mimeType },
    ],
  };
}

function showLines(found: LinesFound, { first }: LineRange, path: string): ToolResult {
  const last = first + found.shown - 1;
  const total = found.complete ? `${found.total}` : `more than ${found.total}`;
  const next = `Use offset=${last + 1} to continue.`;
  if (found.shown === found.selected) {
    const rest = found.total - last;
    const more = found.complete ? rest : `More than ${rest}`;
    return textResult(rest > 0 ? `${found.text}\n\n[${more} more lines in file. ${next}]` : found.text);
  }
  const truncation = truncationFor(found);
  if (found.shown === 0) {
    const size = `${found.complete ? '' : 'at least '}${formatSize(found.firstLineBytes)}`;
    const way = `Use bash: sed -n '${first}p' ${shellWord(path)} | head -c ${MAX_BYTES}`;
    return textResult(`[Line ${first} is ${size}, exceeds ${formatSize(MAX_BYTES)} limit. ${way}]`, { truncation });
  }
  const limit = truncation.truncatedBy === 'bytes' ? ` (${formatSize(MAX_BYTES)} limit)` : '';
  return textResult(`${found.text}\n\n[Showing lines ${first}-${last} of ${total}${limit}. ${next}]`, { truncation });
}

function truncationFor(found: LinesFound): TruncationResult {
  return truncationOf({
    content: found.text,
    truncatedBy: found.shown >= MAX_LINES ? 'lines' : 'bytes',
    totalLines: found.selected,
    totalBytes: found.selectedBytes,
    outputLines: found.shown,
    outputBytes: Buffer.byteLength(found.text),
    firstLineExceedsLimit: found.shown === 0,
  });
}

function shellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
