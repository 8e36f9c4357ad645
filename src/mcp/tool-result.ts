// Converts the result of an MCP tool to a tool result: bounded, with an artifact for what is not shown.
import { isDeepStrictEqual } from 'node:util';
import { getErrorMessage, tryParseJson } from '../base/index.ts';
import type { ToolContext, ToolResult } from '../contracts/index.ts';
import { createTruncation, formatSize, MAX_BYTES, MAX_LINES } from '../support/truncation.ts';
import { ContentConverter } from './content.ts';

/** Structured content above this size is not repeated in the details of the result. */
const MAX_DETAILS_LENGTH = 64 * 1024;

export interface CallResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

export interface ResultSource {
  readonly server: string;
  readonly tool: string;
  /** The name by which the model knows the tool. */
  readonly toolName: string;
}

export async function toToolResult(
  result: CallResult,
  source: ResultSource,
  context: ToolContext,
): Promise<ToolResult> {
  const converter = new ContentConverter(source.server, async (bytes) => {
    return (await saveArtifact(bytes, source, context))?.path;
  });
  for (const block of Array.isArray(result.content) ? result.content : []) await converter.addBlock(block);
  const { structuredContent } = result;
  const json = structuredContent === undefined ? undefined : JSON.stringify(structuredContent, undefined, 2);
  if (json !== undefined && !converter.texts.some((text) => isSameJson(text, structuredContent))) {
    converter.texts.push(json);
  }
  const { text, images } = converter.content;
  const bounded = await boundText(text, source, context);
  const hasDetails = json !== undefined && json.length <= MAX_DETAILS_LENGTH;
  const isEmpty = bounded.text === '' && images.length === 0;
  return {
    content: [
      ...(bounded.text !== '' || isEmpty
        ? [{ type: 'text' as const, text: isEmpty ? '(no output)' : bounded.text }]
        : []),
      ...images,
    ],
    details: {
      server: source.server,
      tool: source.tool,
      ...(hasDetails ? { structuredContent } : {}),
      ...bounded.details,
    },
    ...(result.isError === true ? { isError: true } : {}),
  };
}

/** Servers repeat structured content as JSON text, for clients that do not know it. */
function isSameJson(text: string, value: unknown): boolean {
  const first = text.trimStart()[0];
  if (first === undefined || !'{["-0123456789tfn'.includes(first)) return false;
  const parsed = tryParseJson(text);
  return parsed !== undefined && isDeepStrictEqual(parsed, value);
}

/** The beginning of a long text, and where the rest is. */
async function boundText(
  text: string,
  source: ResultSource,
  context: ToolContext,
): Promise<{ text: string; details?: Record<string, unknown> }> {
  const lines = text.split('\n');
  const totalBytes = Buffer.byteLength(text);
  if (lines.length <= MAX_LINES && totalBytes <= MAX_BYTES) return { text };
  const shown = selectBeginning(lines);
  const saved = await saveArtifact(Buffer.from(text), source, context);
  const fullOutput = saved ? `Full output: ${saved.path}` : 'Full output not saved';
  const what = shown.isPartial
    ? `Showing the first ${formatSize(MAX_BYTES)} of ${formatSize(totalBytes)}`
    : `Showing lines 1-${shown.lines} of ${lines.length}`;
  return {
    text: `${shown.text}\n\n[${what}. ${fullOutput}]`,
    details: {
      truncation: createTruncation({
        content: shown.text,
        truncatedBy: shown.lines === MAX_LINES ? 'lines' : 'bytes',
        totalLines: lines.length,
        totalBytes,
        outputLines: shown.lines,
        outputBytes: Buffer.byteLength(shown.text),
        lastLinePartial: shown.isPartial,
      }),
      ...(saved ? { artifactId: saved.id, fullOutputPath: saved.path } : {}),
    },
  };
}

/** As many complete lines as fit, or the beginning of a first line that does not fit. */
function selectBeginning(lines: readonly string[]): { text: string; lines: number; isPartial: boolean } {
  const selected: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(0, MAX_LINES)) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MAX_BYTES + 1) break;
    selected.push(line);
  }
  if (selected.length > 0) return { text: selected.join('\n'), lines: selected.length, isPartial: false };
  const beginning = Buffer.from((lines[0] ?? '').slice(0, MAX_BYTES)).subarray(0, MAX_BYTES);
  // An incomplete character at the end is dropped.
  const text = new TextDecoder().decode(beginning, { stream: true });
  return { text, lines: 1, isPartial: true };
}

/** `undefined` when it cannot be written, for example because the disk is full. */
async function saveArtifact(
  bytes: Uint8Array,
  { toolName }: ResultSource,
  { artifacts, agentPorts, ports }: ToolContext,
): Promise<{ id: string; path: string } | undefined> {
  try {
    const artifact = await artifacts.reserve(toolName);
    await (agentPorts ?? ports).files.write(artifact.path, bytes, { mode: 0o600 });
    return artifact;
  } catch (thrown) {
    ports.log('mcp_artifact_failed', { error: getErrorMessage(thrown) });
    return undefined;
  }
}
