// `parley submissions`: shows, lists and cancels prompts that workers run, and prints their changes.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault, toJson } from '../../base/index.ts';
import type { SubmissionDetails } from '../../contracts/index.ts';
import { formatAge, formatTable } from './format-table.ts';
import { type OpenedSubmissions, withSubmissions } from './open-submissions.ts';
import { parseWithHelp } from './parse-with-help.ts';
import type { StartOptions } from './start-agent.ts';
import { formatJson } from './submit.ts';

export const SUBMISSIONS_HELP = `Usage: parley submissions [list] [--queue NAME] [--limit N] [--json]   list them, newest first
       parley submissions status ID [--json]                  show the state, the worker and the result
       parley submissions cancel ID                           stop it; one that waits is never started
       parley submissions patch ID [FILE]                     print the change, or write it to a file

Submissions are prompts that workers run (parley submit, parley worker).

  --queue NAME   only those of this queue
  --limit N      at most N; 100 when absent
  --json         print JSON; list prints one object per line
  --store URL    the database

Examples:
  parley submissions
  parley submissions patch 3f2a0c77-… change.patch && git apply change.patch
`;

const OPTIONS = {
  queue: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
  store: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const DEFAULT_LIMIT = 100;
/** The number of arguments of each subcommand. */
const MAX_ARGUMENTS: Readonly<Record<string, number>> = { list: 0, status: 1, cancel: 1, patch: 2 };

type ParsedArguments = ReturnType<typeof parse>;

/** Returns the text to print. */
export async function runSubmissions(
  argv: readonly string[],
  warn: (line: string) => void,
  createFlags: (argv: readonly string[]) => StartOptions,
): Promise<string> {
  const parsed = parse(argv);
  const { values, positionals } = parsed;
  if (values.help) return SUBMISSIONS_HELP;
  const [verb = 'list', ...names] = positionals;
  const most = MAX_ARGUMENTS[verb];
  if (most === undefined)
    throw new Fault('config', `Unknown subcommand: parley submissions ${verb}. Use list, status, cancel or patch.`);
  if (names.length > most)
    throw new Fault('config', `parley submissions ${verb} does not take ${names[most]}\n\n${SUBMISSIONS_HELP}`);
  if (verb !== 'list' && names.length === 0)
    throw new Fault('config', `parley submissions ${verb} needs an id\n\n${SUBMISSIONS_HELP}`);
  const flags = createFlags(values.store === undefined ? [] : ['--store', values.store]);
  return withSubmissions(flags, warn, (opened) => run(opened, parsed, verb, names));
}

function parse(argv: readonly string[]) {
  return parseWithHelp(SUBMISSIONS_HELP, () =>
    parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }),
  );
}

async function run(
  opened: OpenedSubmissions,
  { values }: ParsedArguments,
  verb: string,
  [id = '', file]: readonly string[],
): Promise<string> {
  const { submissions } = opened;
  if (verb === 'list') return list(opened, values);
  if (verb === 'patch') return readPatch(opened, id, file);
  const found = verb === 'cancel' ? await submissions.cancel(id) : await submissions.get(id);
  return values.json ? formatJson(found) : formatDetails(found);
}

async function list({ submissions, context }: OpenedSubmissions, values: ParsedArguments['values']): Promise<string> {
  const limit = values.limit === undefined ? DEFAULT_LIMIT : Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1)
    throw new Fault('config', `--limit takes a whole number above 0 (got "${values.limit}")`);
  const found = await submissions.list({ queue: values.queue, limit });
  if (values.json) return found.map((submission) => `${toJson(submission)}\n`).join('');
  if (found.length === 0) return 'There are no submissions.\n';
  const nowMs = context.ports.clock.now();
  const rows = found.map(({ id, state, queue, createdMs, worker = '-' }) => [
    ...[id, state, queue, formatAge(nowMs - createdMs), worker],
  ]);
  return formatTable(['id', 'state', 'queue', 'submitted', 'worker'], rows);
}

async function readPatch(
  { submissions, context }: OpenedSubmissions,
  id: string,
  file: string | undefined,
): Promise<string> {
  const { state } = await submissions.get(id);
  const patch = await submissions.readPatch(id);
  if (patch === undefined)
    throw new Fault('not_found', `The submission ${id} has no patch: it is ${state}, and has changed nothing so far.`);
  if (file === undefined) return decode(patch, id);
  const path = resolve(context.cwd, file);
  await context.ports.files.write(path, patch);
  return `${path}\n`;
}

function decode(patch: Uint8Array, id: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(patch);
  } catch {
    const advice = `Write it to a file: parley submissions patch ${id} FILE`;
    throw new Fault('refused', `The patch has bytes that are not UTF-8. ${advice}`);
  }
}

function formatDetails({ id, state, queue, worker, error, result }: SubmissionDetails): string {
  const lines = [
    ['id', id],
    ['state', state],
    ['queue', queue],
    ['worker', result?.worker ?? worker],
    ['error', result?.error ?? error],
    ['commit', result?.commit],
    ['patch', result?.hasPatch ? `parley submissions patch ${id}` : undefined],
    ['verification', result?.verification?.status],
    ['cost', result && result.cost > 0 ? `$${result.cost.toFixed(2)}` : undefined],
  ] as const;
  const shown = lines.flatMap(([name, value]) => (value === undefined ? [] : [`${`${name}:`.padEnd(14)}${value}\n`]));
  return `${shown.join('')}${result?.text ? `\n${result.text.trimEnd()}\n` : ''}`;
}
