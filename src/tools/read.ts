// The `read` tool: reads a text file, a range of its lines, an image or an artifact. Memory is bounded by what is shown.
import { number, object, optional, string } from 'valibot';
import { detectContentKind, Fault, SNIFF_BYTES } from '../base/index.ts';
import { type OpenFile, type ToolContext, type ToolResult, tool } from '../contracts/index.ts';
import {
  createTruncation,
  formatSize,
  MAX_BYTES,
  MAX_LINES,
  normalizeLimit,
  type TruncationResult,
} from '../support/truncation.ts';
import { readHostText } from './host-files.ts';
import { type LineRange, type LineSelection, MAX_SCAN_BYTES, readLines } from './read-lines.ts';
import { listPathSubject, type ResolvedPath, requireFile, resolveExistingPath } from './resolve-path.ts';
import { createTextResult, throwIfAborted, withErrorContext } from './result.ts';

const ARTIFACT_SCHEME = 'artifact://';
/** Providers reject images above 5 MB in base64. */
const MAX_IMAGE_BYTES = 4.5 * 1024 * 1024;

export const read = tool({
  name: 'read',
  effect: 'read',
  fileAccess: 'read',
  doc: `Read a file: text or image (png, jpeg, gif, webp). Text stops at ${MAX_LINES} lines or 50KB; continue with offset (first line, from 1) and limit (lines). artifact://ID opens a saved output.`,
  snippet: 'Read files and images',
  guidelines: ['Use read to look at files, not cat or sed.'],
  params: object({ path: string(), offset: optional(number()), limit: optional(number()) }),
  listSubjects: listPathSubject,
  async run({ path, offset, limit }, context) {
    throwIfAborted(context.signal);
    const range = { first: normalizeLimit(offset, 1), count: normalizeLimit(limit, Number.POSITIVE_INFINITY) };
    if (context.hostUris?.findScheme(path)) {
      const { readHostUri } = await import('./host-uri.ts');
      return readHostUri(context.hostUris, path, context.signal, (text) => readText(text, path, range, context.signal));
    }
    const isArtifact = path.startsWith(ARTIFACT_SCHEME);
    const target = isArtifact ? await resolveArtifact(path, context) : await resolveExistingPath(path, context);
    const hostText = isArtifact ? undefined : await readHostText(target, context);
    if (hostText) return readText(hostText.text, path, range, context.signal);
    requireFile(target, 'Cannot read');
    return withErrorContext(`Cannot read ${path}`, async () => {
      const file = await context.ports.files.open(target.real, 'read');
      try {
        return await readContent(file, target, range, context.signal);
      } finally {
        await file.close();
      }
    });
  },
});

async function resolveArtifact(url: string, { artifacts, ports }: ToolContext): Promise<ResolvedPath> {
  const path = await artifacts.find(url.slice(ARTIFACT_SCHEME.length));
  if (path === undefined) throw new Fault('not_found', `Artifact not found: ${url}`);
  const real = await ports.files.realPath(path);
  return { requested: path, absolute: path, real, info: await ports.files.info(real) };
}

function readText(text: string, requested: string, range: LineRange, signal: AbortSignal): Promise<ToolResult> {
  const bytes = Buffer.from(text, 'utf8');
  const file = { read: async (position: number, length: number) => bytes.subarray(position, position + length) };
  return readContent(file, { requested, info: { size: bytes.length } }, range, signal);
}

async function readContent(
  file: Pick<OpenFile, 'read'>,
  target: { readonly requested: string; readonly info: { readonly size: number } },
  range: LineRange,
  signal: AbortSignal,
): Promise<ToolResult> {
  const content = detectContentKind(await file.read(0, SNIFF_BYTES));
  if (content.kind === 'image') return readImage(file, target.info.size, content.mimeType);
  if (content.kind === 'binary') {
    return createTextResult(
      `[${target.requested} is a binary file (${formatSize(target.info.size)}); its content is not shown]`,
    );
  }
  const selection = await readLines(file, range, signal);
  if (selection.text !== undefined) return formatLines(selection, range, target.requested);
  if (selection.isComplete && selection.totalLines === 0 && range.first === 1) return createTextResult('(empty file)');
  if (selection.isComplete) {
    throw new Fault('tool_failed', `Offset ${range.first} is beyond end of file (${selection.totalLines} lines total)`);
  }
  const remedy = `Use bash: sed -n '${range.first},${range.first + MAX_LINES - 1}p' ${quoteForShell(target.requested)}`;
  throw new Fault(
    'tool_failed',
    `Offset ${range.first} is beyond the first ${formatSize(MAX_SCAN_BYTES)} of the file. ${remedy}`,
  );
}

async function readImage(file: Pick<OpenFile, 'read'>, size: number, mimeType: string): Promise<ToolResult> {
  const note = `Read image file [${mimeType}]`;
  const encodedSize = Math.ceil(size / 3) * 4;
  if (encodedSize > MAX_IMAGE_BYTES) {
    const sizes = `${formatSize(size)}, ${formatSize(encodedSize)} when encoded; the limit is ${formatSize(MAX_IMAGE_BYTES)}`;
    return createTextResult(`${note}\n[Image left out: ${sizes}]`);
  }
  const data = Buffer.from(await file.read(0, size)).toString('base64');
  return {
    content: [
      { type: 'text', text: note },
      { type: 'image', data, mimeType },
    ],
  };
}

function formatLines(selection: LineSelection, { first }: LineRange, path: string): ToolResult {
  const last = first + selection.shownLines - 1;
  const total = selection.isComplete ? `${selection.totalLines}` : `more than ${selection.totalLines}`;
  const next = `Use offset=${last + 1} to continue.`;
  if (selection.shownLines === selection.selectedLines) {
    const remaining = selection.totalLines - last;
    const more = selection.isComplete ? remaining : `More than ${remaining}`;
    return createTextResult(
      remaining > 0 ? `${selection.text}\n\n[${more} more lines in file. ${next}]` : selection.text,
    );
  }
  const truncation = buildTruncation(selection);
  if (selection.shownLines === 0) {
    const size = `${selection.isComplete ? '' : 'at least '}${formatSize(selection.firstLineBytes)}`;
    const remedy = `Use bash: sed -n '${first}p' ${quoteForShell(path)} | head -c ${MAX_BYTES}`;
    return createTextResult(`[Line ${first} is ${size}, exceeds ${formatSize(MAX_BYTES)} limit. ${remedy}]`, {
      truncation,
    });
  }
  const limit = truncation.truncatedBy === 'bytes' ? ` (${formatSize(MAX_BYTES)} limit)` : '';
  return createTextResult(`${selection.text}\n\n[Showing lines ${first}-${last} of ${total}${limit}. ${next}]`, {
    truncation,
  });
}

function buildTruncation(selection: LineSelection): TruncationResult {
  return createTruncation({
    content: selection.text,
    truncatedBy: selection.shownLines >= MAX_LINES ? 'lines' : 'bytes',
    totalLines: selection.selectedLines,
    totalBytes: selection.selectedBytes,
    outputLines: selection.shownLines,
    outputBytes: Buffer.byteLength(selection.text),
    firstLineExceedsLimit: selection.shownLines === 0,
  });
}

function quoteForShell(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
