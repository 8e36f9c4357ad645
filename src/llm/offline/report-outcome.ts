// Describes the result of a tool call.
import { extractText } from '../../protocol/index.ts';
import { describeIntent, formatCode, formatExcerpt, formatLocation, formatQuotation } from './answer-texts.ts';
import { getOutcomeStatus, type ToolOutcome } from './conversation-state.ts';
import { digestFile } from './file-digest.ts';
import type { ToolIntent } from './intent.ts';
import { countLines, formatCount } from './text-format.ts';

export function reportOutcome(outcome: ToolOutcome): string {
  const description = outcome.toolIntent
    ? describeIntent(outcome.toolIntent)
    : `use the tool ${formatCode(outcome.call.name)}`;
  switch (getOutcomeStatus(outcome)) {
    case 'unfinished':
      return `I tried to ${description}, but no result was returned.`;
    case 'skipped':
      return `I did not ${description}: the call was skipped.`;
    case 'aborted':
      return `I tried to ${description}, but the call was aborted.`;
    case 'failed':
      return describeFailure(outcome, description);
    case 'done':
      return describeSuccess(outcome);
  }
}

function describeFailure({ toolIntent, result }: ToolOutcome, description: string): string {
  const text = extractText(result?.content ?? []).trim();
  const ending = text.split('\n').at(-1) ?? '';
  if (toolIntent?.kind === 'run' && /^Command (?:exited|timed out)/.test(ending)) {
    const printed = text.slice(0, -ending.length).trim();
    const output =
      printed === '' || printed === '(no output)' ? 'It printed nothing.' : `It printed ${formatQuotation(printed)}`;
    return `${formatCode(toolIntent.command)} failed: ${ending}. ${output}`;
  }
  if (text === '') return `I could not ${description}: the tool failed without a message.`;
  return text.includes('\n')
    ? `I could not ${description}. The tool returned ${formatQuotation(text)}`
    : `I could not ${description}: ${text}`;
}

function describeSuccess({ toolIntent, call, result }: ToolOutcome): string {
  const { body, notice } = splitNotice(extractText(result?.content ?? []));
  const parts = [
    toolIntent
      ? describeResult(toolIntent, body, notice === undefined)
      : `The tool ${formatCode(call.name)} returned ${formatQuotation(body)}`,
  ];
  if (notice) parts.push(`The tool adds: ${notice}`);
  if (result?.content.some((block) => block.type === 'image')) parts.push('It returned an image, which I cannot see.');
  return parts.join('\n\n');
}

/** Tools add a last line in brackets when they return only a part. */
function splitNotice(text: string): { body: string; notice?: string } {
  const noticeStart = text.lastIndexOf('\n\n[');
  if (noticeStart < 0 || !text.endsWith(']') || text.indexOf('\n', noticeStart + 2) >= 0) return { body: text };
  return { body: text.slice(0, noticeStart), notice: text.slice(noticeStart + 2) };
}

function describeResult(toolIntent: ToolIntent, body: string, isWhole: boolean): string {
  switch (toolIntent.kind) {
    case 'list':
      return describeListing(toolIntent.path, body);
    case 'find':
      return describeFoundFiles(toolIntent, body);
    case 'search':
      return describeMatches(toolIntent, body);
    case 'read':
      return body === '' || body === '(empty file)'
        ? `${formatCode(toolIntent.path)} is empty.`
        : `I ${describeIntent(toolIntent)}, ${formatQuotation(body)}`;
    case 'summarise':
      return body === '' || body === '(empty file)'
        ? `${formatCode(toolIntent.path)} is empty.`
        : digestFile(toolIntent.path, body, isWhole);
    case 'run':
      return body.trim() === '' || body.trim() === '(no output)'
        ? `I ran ${formatCode(toolIntent.command)}. It printed nothing.`
        : `I ran ${formatCode(toolIntent.command)}. It printed ${formatQuotation(body)}`;
    case 'replace':
      return toolIntent.newText === ''
        ? `I removed ${formatCode(toolIntent.oldText)} from ${formatCode(toolIntent.path)}.`
        : `I replaced ${formatCode(toolIntent.oldText)} with ${formatCode(toolIntent.newText)} in ${formatCode(toolIntent.path)}.`;
    case 'create':
      return `I wrote ${formatCode(toolIntent.path)} (${formatCount([...toolIntent.content].length, 'character')}).`;
    case 'append':
      return `I appended ${formatCount(countLines(toolIntent.content) || 1, 'line')} to ${formatCode(toolIntent.path)}.`;
  }
}

function describeListing(path: string, body: string): string {
  const location = path === '.' ? 'This directory' : formatCode(path);
  if (body.trim() === '' || body === '(empty directory)') return `${location} is empty.`;
  const names = body.split('\n').filter(Boolean);
  const folders = names.filter((name) => name.endsWith('/')).length;
  const counts = [formatCount(folders, 'folder'), formatCount(names.length - folders, 'file')].join(' and ');
  return `${location} holds ${counts}${formatExcerpt(body)}`;
}

function describeFoundFiles({ pattern, path }: ToolIntent & { kind: 'find' }, body: string): string {
  if (body.trim() === '' || /^No files found/.test(body)) {
    return `No file matches ${formatCode(pattern)}${formatLocation(path)}.`;
  }
  const files = countLines(body.trim());
  const verb = files === 1 ? 'matches' : 'match';
  return `${formatCount(files, 'file')} ${verb} ${formatCode(pattern)}${formatLocation(path)}${formatExcerpt(body)}`;
}

function describeMatches({ pattern, path, glob }: ToolIntent & { kind: 'search' }, body: string): string {
  const description = `${formatCode(pattern)}${formatLocation(path ?? glob)}`;
  if (body.trim() === '' || /^No matches found/.test(body)) return `I found no ${description}.`;
  const hits = body.split('\n').flatMap((line) => /^(.+?):\d+:/.exec(line)?.[1] ?? []);
  if (hits.length === 0) return `The search for ${description} returned ${formatQuotation(body)}`;
  const files = new Set(hits).size;
  return `I found ${description} on ${formatCount(hits.length, 'line')} of ${formatCount(files, 'file')}${formatExcerpt(body)}`;
}
