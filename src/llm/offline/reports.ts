// First floor, llm: what to say about a call that was made, from its result and nothing else.
import { textOf } from '../../protocol/index.ts';
import { countLines, plural } from './cutting.ts';
import { digestFile } from './file-digest.ts';
import type { Errand } from './intent.ts';
import { fateOf, type Outcome } from './situation.ts';
import { below, code, describe, inPlace, quotation } from './wording.ts';

export function report(outcome: Outcome): string {
  const what = outcome.errand ? describe(outcome.errand) : `use the tool ${code(outcome.call.name)}`;
  switch (fateOf(outcome)) {
    case 'unfinished':
      return `I set out to ${what}, but no result came back.`;
    case 'skipped':
      return `I did not ${what}: the call was skipped.`;
    case 'aborted':
      return `I set out to ${what}, but it was aborted.`;
    case 'failed':
      return failure(outcome, what);
    case 'done':
      return success(outcome);
  }
}

function failure({ errand, result }: Outcome, what: string): string {
  const text = textOf(result?.content ?? []).trim();
  const ending = text.split('\n').at(-1) ?? '';
  if (errand?.kind === 'run' && /^Command (?:exited|timed out)/.test(ending)) {
    const printed = text.slice(0, -ending.length).trim();
    const output =
      printed === '' || printed === '(no output)' ? 'It printed nothing.' : `It printed ${quotation(printed)}`;
    return `${code(errand.command)} failed: ${ending}. ${output}`;
  }
  if (text === '') return `I could not ${what}: the tool failed without saying why.`;
  return text.includes('\n') ? `I could not ${what}. The tool said ${quotation(text)}` : `I could not ${what}: ${text}`;
}

function success({ errand, call, result }: Outcome): string {
  const { body, notice } = splitNotice(textOf(result?.content ?? []));
  const parts = [
    errand ? successOf(errand, body, notice === undefined) : `The tool ${code(call.name)} returned ${quotation(body)}`,
  ];
  if (notice) parts.push(`The tool adds: ${notice}`);
  if (result?.content.some((block) => block.type === 'image')) parts.push('It returned an image, which I cannot see.');
  return parts.join('\n\n');
}

/** Tools put a last line in brackets when they show only a part. */
function splitNotice(text: string): { body: string; notice?: string } {
  const at = text.lastIndexOf('\n\n[');
  if (at < 0 || !text.endsWith(']') || text.indexOf('\n', at + 2) >= 0) return { body: text };
  return { body: text.slice(0, at), notice: text.slice(at + 2) };
}

function successOf(errand: Errand, body: string, isWhole: boolean): string {
  switch (errand.kind) {
    case 'list':
      return listed(errand.path, body);
    case 'find':
      return found(errand, body);
    case 'search':
      return searched(errand, body);
    case 'read':
      return body === '' || body === '(empty file)'
        ? `${code(errand.path)} is empty.`
        : `I ${describe(errand)}, ${quotation(body)}`;
    case 'summarise':
      return body === '' || body === '(empty file)'
        ? `${code(errand.path)} is empty.`
        : digestFile(errand.path, body, isWhole);
    case 'run':
      return body.trim() === '' || body.trim() === '(no output)'
        ? `I ran ${code(errand.command)}. It printed nothing.`
        : `I ran ${code(errand.command)}. It printed ${quotation(body)}`;
    case 'replace':
      return errand.newText === ''
        ? `I removed ${code(errand.oldText)} from ${code(errand.path)}.`
        : `I replaced ${code(errand.oldText)} with ${code(errand.newText)} in ${code(errand.path)}.`;
    case 'create':
      return `I wrote ${code(errand.path)} (${plural([...errand.content].length, 'character')}).`;
    case 'append':
      return `I appended ${plural(countLines(errand.content) || 1, 'line')} to ${code(errand.path)}.`;
  }
}

function listed(path: string, body: string): string {
  const place = path === '.' ? 'This directory' : code(path);
  if (body.trim() === '' || body === '(empty directory)') return `${place} is empty.`;
  const names = body.split('\n').filter(Boolean);
  const folders = names.filter((name) => name.endsWith('/')).length;
  const counts = [plural(folders, 'folder'), plural(names.length - folders, 'file')].join(' and ');
  return `${place} holds ${counts}${below(body)}`;
}

function found({ pattern, path }: Errand & { kind: 'find' }, body: string): string {
  if (body.trim() === '' || /^No files found/.test(body)) {
    return `No file matches ${code(pattern)}${inPlace(path)}.`;
  }
  const files = countLines(body.trim());
  const verb = files === 1 ? 'matches' : 'match';
  return `${plural(files, 'file')} ${verb} ${code(pattern)}${inPlace(path)}${below(body)}`;
}

function searched({ pattern, path, glob }: Errand & { kind: 'search' }, body: string): string {
  const what = `${code(pattern)}${inPlace(path ?? glob)}`;
  if (body.trim() === '' || /^No matches found/.test(body)) return `I found no ${what}.`;
  const hits = body.split('\n').flatMap((line) => /^(.+?):\d+:/.exec(line)?.[1] ?? []);
  if (hits.length === 0) return `The search for ${what} returned ${quotation(body)}`;
  const files = new Set(hits).size;
  return `I found ${what} on ${plural(hits.length, 'line')} of ${plural(files, 'file')}${below(body)}`;
}
